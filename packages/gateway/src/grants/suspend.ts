// Finds the grants that a replaced tool server affects, and suspends them under `strict`.
import { AgentGroupID, ChangeID, type Digest, type Grant, type GrantRef, type Pinning, ServerName } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { writeGrant } from '../state/effects.ts'
import type { GrantTable } from '../state/grants.ts'
import { readGrant } from '../state/unit-config.ts'
import { isExpired } from './checks.ts'

/** A grant as one change made it: what replaced it meanwhile is not meant. */
export const Suspension = v.strictObject({ agentGroupID: AgentGroupID, server: ServerName, changeID: ChangeID })
export type Suspension = v.InferOutput<typeof Suspension>

export const suspend = async (tx: Transaction, { agentGroupID, server, changeID }: Suspension): Promise<void> => {
  const grant = await readGrant(tx, { agentGroupID, server })
  if (grant?.changeID === changeID && grant.state === 'active') await writeGrant(tx, { ...grant, state: 'suspended' })
}

/** An entry that is put, by its identity before and after. */
export interface Exchange {
  readonly server: ServerName
  readonly from: Digest | undefined
  readonly to: Digest
}

export interface Concern {
  readonly grants: GrantRef[]
  readonly suspended: Suspension[]
}

export interface ConcernDeps {
  readonly boot: { readonly pinning: Pinning }
  readonly table: GrantTable
  readonly clock: Clock
}

const isAnother = ({ entryDigest }: Grant, { from, to }: Exchange): boolean => from !== to && entryDigest !== to

/** Active grants whose server is another one from now on. */
export const concern = async ({ boot, table, clock }: ConcernDeps, exchanges: readonly Exchange[]): Promise<Concern> => {
  const byServer = new Map(exchanges.map((exchange) => [exchange.server, exchange]))
  const rows = [...(await table.current()).values()].flatMap((servers) => [...servers.values()])
  const touched = rows.flatMap((row) => {
    const exchange = byServer.get(row.grant.server)
    const isTouched = exchange !== undefined && row.grant.state === 'active' && !isExpired(row, clock) && isAnother(row.grant, exchange)
    return isTouched ? [row.grant] : []
  })
  return {
    grants: touched.map(({ agentGroupID, server }) => ({ agentGroupID, server })),
    suspended: boot.pinning === 'strict' ? touched.map(({ agentGroupID, server, changeID }) => ({ agentGroupID, server, changeID })) : [],
  }
}
