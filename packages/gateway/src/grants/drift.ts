// How far the definitions of a grant's tools are from what was approved. Decides nothing: a call is judged by `checks.ts`.
import type { Digest, Pinning } from '@gatehouse/contracts'
import { covers } from './checks.ts'
import type { Definitions } from './declared.ts'
import type { GrantRow } from './table.ts'

/** A tool that is not as it was approved; without a pin it was not there then. */
export interface Moved {
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

const covered = (row: GrantRow, definitions: Definitions | undefined): [tool: string, moved: Moved][] =>
  [...(definitions ?? [])].filter(([tool]) => covers(row, tool)).map(([tool, seen]) => [tool, { pinned: row.pins.get(tool) ?? null, seen }])

const isChanged = ({ pinned, seen }: Moved): boolean => pinned !== null && pinned !== seen
const isNew = ({ pinned }: Moved): boolean => pinned === null

/** Tools whose definition is another than the approved one. */
export const changedTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  covered(row, definitions).flatMap(([tool, moved]) => (isChanged(moved) ? [tool] : []))

/** Tools that were not there when the others were pinned. */
export const newTools = (row: GrantRow, definitions: Definitions | undefined): string[] =>
  row.grant.pinned === 'none' ? [] : covered(row, definitions).flatMap(([tool, moved]) => (isNew(moved) ? [tool] : []))

/** What a person has to look at: empty where everything is as it was approved. */
export const driftOf = (row: GrantRow, { pinning, definitions }: Sighting): Readonly<Record<string, Moved>> => {
  if (row.grant.state === 'suspended') return Object.fromEntries(covered(row, definitions))
  if (row.grant.pinned === 'none') return {}
  const counts = (moved: Moved): boolean => isChanged(moved) || (pinning === 'strict' && isNew(moved))
  return Object.fromEntries(covered(row, definitions).filter(([, moved]) => counts(moved)))
}
