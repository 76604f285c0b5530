// Grants as people see them: with what has become of them since they were approved.
import type { GrantView } from '@gatehouse/contracts'
import type { GrantDeps } from './authorize.ts'
import { isExchanged, isExhausted, isExpired } from './checks.ts'
import { changedTools, newTools } from './drift.ts'
import type { GrantRow } from './table.ts'

export const viewGrant = (deps: GrantDeps, row: GrantRow): GrantView => {
  const { grant } = row
  const entryDigest = deps.catalog.item(grant.server)?.digest
  const definitions = deps.declared.of(grant.server, entryDigest)?.definitions
  const calls = deps.counts.of(grant)
  return {
    ...grant,
    calls,
    expired: isExpired(row, deps.clock),
    exhausted: isExhausted(row, calls),
    serverChanged: isExchanged(row, entryDigest),
    changed: changedTools(deps.firstSight.over(row), definitions),
    added: [...new Set([...(grant.added ?? []), ...deps.firstSight.of(row).keys(), ...newTools(row, definitions)])],
  }
}

/** By group and server. @param sees whether whoever asks may know of the group */
export const listGrants = async (deps: GrantDeps, sees: (agentGroupID: string) => boolean): Promise<{ items: GrantView[] }> => {
  const groups = [...(await deps.table.current())].filter(([agentGroupID]) => sees(agentGroupID))
  return { items: groups.flatMap(([, servers]) => [...servers.values()].map((row) => viewGrant(deps, row))) }
}
