// What an approved `mcp_register` puts into the catalog, with its values.
import { type Change, kinds } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Registration } from '../catalog/register.ts'
import { askedByAgent } from '../registry/world.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { throughValues } from '../secrets/values.ts'

/** Undefined for another kind of change. */
export const registered = (change: Pick<Change, 'kind' | 'after' | 'principal'>, { unseal }: Secrets): Registration | undefined => {
  if (change.kind !== 'mcp_register') return undefined
  const { name, ...entry } = v.parse(kinds.mcp_register, throughValues(change.after, unseal))
  // What an agent proposed is never a way into the house; an operator may say otherwise by writing the entry anew.
  const isConfined = entry.transport === 'http' && askedByAgent({ asker: change.principal })
  return { name, entry: isConfined ? { ...entry, reach: 'public' } : entry }
}
