// How the definitions of a grant's tools differ from the approved ones. Decides nothing: calls are checked by `checks.ts`.
import type { Digest, GrantView, Pinning } from '@gatehouse/contracts'
import type { GrantRow } from '../state/grants.ts'
import type { Definitions } from '../state/tool-definitions.ts'
import type { GrantDeps } from './authorize.ts'
import { covers, isEntryReplaced, isExhausted, isExpired } from './checks.ts'

/** A tool that is not as it was approved; without a pin it was not there then. */
export interface Drift {
  readonly pinned: Digest | null
  readonly seen: Digest
}

export interface Sighting {
  readonly pinning: Pinning
  /** Of the server's present entry. */
  readonly entryDigest: Digest
  /** Undefined where that entry was not seen yet. */
  readonly definitions: Definitions | undefined
}

const covered = (row: GrantRow, definitions: Definitions | undefined): [tool: string, moved: Drift][] =>
  [...(definitions ?? [])].filter(([tool]) => covers(row, tool)).map(([tool, seen]) => [tool, { pinned: row.pins.get(tool) ?? null, seen }])

const isChanged = ({ pinned, seen }: Drift): boolean => pinned !== null && pinned !== seen
const isNew = ({ pinned }: Drift): boolean => pinned === null

/** Tools whose definition is another than the approved one. */
const changedTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  covered(row, definitions).flatMap(([tool, moved]) => (isChanged(moved) ? [tool] : []))

/** Tools that were not there when the others were pinned. */
const newTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  row.grant.pinned === 'none' ? [] : covered(row, definitions).flatMap(([tool, moved]) => (isNew(moved) ? [tool] : []))

/** What a person has to look at: empty where everything is as it was approved. */
export const driftOf = (row: GrantRow, { pinning, definitions }: Sighting): Readonly<Record<string, Drift>> => {
  if (row.grant.state === 'suspended') return Object.fromEntries(covered(row, definitions))
  if (row.grant.pinned === 'none') return {}
  const counts = (moved: Drift): boolean => isChanged(moved) || (pinning === 'strict' && isNew(moved))
  return Object.fromEntries(covered(row, definitions).filter(([, moved]) => counts(moved)))
}

/** Grants as people see them: with what has become of them since they were approved. */
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
    serverChanged: isEntryReplaced(row, entryDigest),
    changed: changedTools(deps.firstSight.over(row), definitions),
    added: [...new Set([...(grant.added ?? []), ...deps.firstSight.of(row).keys(), ...newTools(row, definitions)])],
  }
}

/** By group and server. @param sees whether whoever asks may know of the group */
export const listGrants = async (deps: GrantDeps, sees: (agentGroupID: string) => boolean): Promise<{ items: GrantView[] }> => {
  const groups = [...(await deps.table.current())].filter(([agentGroupID]) => sees(agentGroupID))
  return { items: groups.flatMap(([, servers]) => [...servers.values()].map((row) => viewGrant(deps, row))) }
}
