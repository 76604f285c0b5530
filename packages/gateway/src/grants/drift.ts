// How the definitions of a grant's tools differ from the approved ones. Decides nothing: calls are checked by `checks.ts`.
import type { Digest, GrantView, Pinning } from '@gatehouse/contracts'
import type { GrantRow } from '../state/grants.ts'
import type { Definitions } from '../state/tool-definitions.ts'
import type { GrantDeps } from './authorize.ts'
import { covers, isEntryReplaced, isExhausted, isExpired } from './checks.ts'

/** A tool whose definition differs from the approved one. The pin is null for a tool that is new since the approval. */
export interface Drift {
  readonly pinned: Digest | null
  readonly seen: Digest
}

export interface ObservedDefinitions {
  readonly pinning: Pinning
  /** Digest of the server's current entry. */
  readonly entryDigest: Digest
  /** Undefined if that entry was not listed yet. */
  readonly definitions: Definitions | undefined
}

const covered = (row: GrantRow, definitions: Definitions | undefined): [tool: string, drift: Drift][] =>
  [...(definitions ?? [])].filter(([tool]) => covers(row, tool)).map(([tool, seen]) => [tool, { pinned: row.pins.get(tool) ?? null, seen }])

const isChanged = ({ pinned, seen }: Drift): boolean => pinned !== null && pinned !== seen
const isNew = ({ pinned }: Drift): boolean => pinned === null

/** Tools whose definition differs from the approved one. */
const changedTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  covered(row, definitions).flatMap(([tool, drift]) => (isChanged(drift) ? [tool] : []))

/** Tools that are new since the grant was pinned. */
const newTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  row.grant.pinned === 'none' ? [] : covered(row, definitions).flatMap(([tool, drift]) => (isNew(drift) ? [tool] : []))

/** The tools that need approval; empty if all definitions are as approved. */
export const findDrift = (row: GrantRow, { pinning, definitions }: ObservedDefinitions): Readonly<Record<string, Drift>> => {
  if (row.grant.state === 'suspended') return Object.fromEntries(covered(row, definitions))
  if (row.grant.pinned === 'none') return {}
  const isReported = (drift: Drift): boolean => isChanged(drift) || (pinning === 'strict' && isNew(drift))
  return Object.fromEntries(covered(row, definitions).filter(([, drift]) => isReported(drift)))
}

/** A grant for readers, with its use and its drift since the approval. */
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
    changed: changedTools(deps.tofuPins.over(row), definitions),
    added: [...new Set([...(grant.added ?? []), ...deps.tofuPins.of(row).keys(), ...newTools(row, definitions)])],
  }
}

/** Lists grants by group and server. @param sees whether the reader may see a group */
export const listGrants = async (deps: GrantDeps, sees: (agentGroupID: string) => boolean): Promise<{ items: GrantView[] }> => {
  const groups = [...(await deps.table.current())].filter(([agentGroupID]) => sees(agentGroupID))
  return { items: groups.flatMap(([, servers]) => [...servers.values()].map((row) => viewGrant(deps, row))) }
}
