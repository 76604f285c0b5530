// What an approved `mcp_register` puts into the catalog, with its values: for the catalog file and for nothing else.
import { type CatalogEntry, type Change, kinds, type ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Catalog } from '../catalog/catalog.ts'
import { isRegistered } from '../catalog/register.ts'
import { askedByAgent } from '../registry/world.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { throughValues } from '../secrets/values.ts'

export interface Registered {
  readonly name: ServerName
  readonly entry: CatalogEntry
}

/** Undefined for another kind of change. */
export const registered = (change: Pick<Change, 'kind' | 'after' | 'principal'>, { unseal }: Secrets): Registered | undefined => {
  if (change.kind !== 'mcp_register') return undefined
  const { name, ...entry } = v.parse(kinds.mcp_register, throughValues(change.after, unseal))
  // What an agent proposed is never a way into the house; an operator may say otherwise by writing the entry anew.
  const isConfined = entry.transport === 'http' && askedByAgent({ asker: change.principal })
  return { name, entry: isConfined ? { ...entry, reach: 'public' } : entry }
}

/** The server that an approved change has put into the catalog already, when its apply was cut short behind the file. */
export const writtenBefore = (change: Change, { secrets, catalog }: { secrets: Secrets; catalog: Catalog }): ServerName | undefined => {
  const own = change.state === 'approved' ? registered(change, secrets) : undefined
  const present = own === undefined ? undefined : catalog.item(own.name)
  return own !== undefined && present !== undefined && isRegistered({ secrets }, present, own.entry) ? own.name : undefined
}
