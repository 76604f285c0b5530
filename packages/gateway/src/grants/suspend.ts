// Finds the grants that a replaced tool server affects, and suspends them under `strict`.
import { AgentGroupID, ChangeID, type Digest, type Grant, type GrantRef, type Pinning, ServerName } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { writeGrant } from '../state/effects.ts'
import type { GrantTable } from '../state/grants.ts'
import { readGrant } from '../state/unit-config.ts'
import { isExpired } from './checks.ts'

/** A grant of one specific change. A grant that replaced it is not suspended. */
export const Suspension = v.strictObject({ agentGroupID: AgentGroupID, server: ServerName, changeID: ChangeID })
export type Suspension = v.InferOutput<typeof Suspension>

export const suspend = async (tx: Transaction, { agentGroupID, server, changeID }: Suspension): Promise<void> => {
  const grant = await readGrant(tx, { agentGroupID, server })
  if (grant?.changeID === changeID && grant.state === 'active') await writeGrant(tx, { ...grant, state: 'suspended' })
}

/** A new or replaced entry, with its digest before and after. */
export interface EntryChange {
  readonly server: ServerName
  readonly from: Digest | undefined
  readonly to: Digest
}

export interface AffectedGrants {
  readonly grants: GrantRef[]
  readonly suspended: Suspension[]
}

export interface AffectedGrantsDeps {
  readonly boot: { readonly pinning: Pinning }
  readonly table: GrantTable
  readonly clock: Clock
}

const isReplaced = ({ entryDigest }: Grant, { from, to }: EntryChange): boolean => from !== to && entryDigest !== to

/** Active grants whose server was replaced. Under `strict` they are to be suspended. */
export const findAffectedGrants = async (
  { boot, table, clock }: AffectedGrantsDeps,
  entryChanges: readonly EntryChange[],
): Promise<AffectedGrants> => {
  const byServer = new Map(entryChanges.map((entryChange) => [entryChange.server, entryChange]))
  const rows = [...(await table.current()).values()].flatMap((servers) => [...servers.values()])
  const affected = rows.flatMap((row) => {
    const entryChange = byServer.get(row.grant.server)
    const isAffected =
      entryChange !== undefined && row.grant.state === 'active' && !isExpired(row, clock) && isReplaced(row.grant, entryChange)
    return isAffected ? [row.grant] : []
  })
  return {
    grants: affected.map(({ agentGroupID, server }) => ({ agentGroupID, server })),
    suspended: boot.pinning === 'strict' ? affected.map(({ agentGroupID, server, changeID }) => ({ agentGroupID, server, changeID })) : [],
  }
}
