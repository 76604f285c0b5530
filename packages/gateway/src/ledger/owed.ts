// What the journal is owed: acts that could not wait for it, and the outage itself. It goes before anything else.
import type { JournalInput } from '@gatehouse/journal'
import { append, type LedgerDeps, type LedgerState, redo } from './act.ts'
import { lateEntry, lateInput, makeLate } from './late.ts'
import { projectLate } from './projection.ts'
import { withRoom } from './room.ts'

/** `journaled`: the line is on disk. `stored`: the effect is in the database. What is not yet, comes as soon as it can. */
export interface LateOutcome {
  readonly journaled: boolean
  readonly stored: boolean
}

/** What an answer says of an act that is nowhere on disk. */
export interface Kept {
  readonly kept?: false
}

export const keptOf = ({ journaled, stored }: LateOutcome): Kept => (journaled || stored ? {} : { kept: false })

export interface LateAct {
  readonly lines: readonly JournalInput[]
  /** When it took effect, however long the journal was waited for. */
  readonly at: Date
}

export const owedLines = ({ late, outage }: LedgerState): JournalInput[] => [
  ...late.map(lateInput),
  ...(outage === undefined ? [] : [{ stage: 'recovered' as const, edge: 'gateway', principal: 'gateway', detail: { ...outage } }]),
]

/** Effects that neither the journal nor the database holds. */
export const storeOwed = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const lines = state.late.filter(({ stored }) => !stored)
  if (lines.length === 0) return
  await withRoom(deps.journal, () => projectLate(deps.store, deps.projections, lines))
  for (const line of lines) line.stored = true
  await deps.tookEffect(lines.map(lateEntry))
}

const journalAlone = async (deps: LedgerDeps, state: LedgerState, lines: readonly JournalInput[]): Promise<boolean> => {
  if (state.tampered !== undefined) return false
  try {
    await append(deps, state, [...owedLines(state), ...lines])
    state.late = []
    state.behind = true
    return true
  } catch {
    return false
  }
}

/** For acts whose commit failed: never rejects because of journal or database. */
export const keepLate = async (deps: LedgerDeps, state: LedgerState, { lines, at }: LateAct): Promise<LateOutcome> => {
  // What a database that is behind lacks might be what the act is about.
  if (state.behind && state.tampered === undefined) await redo(deps, state).catch(() => {})
  if (state.behind && (await journalAlone(deps, state, lines))) return { journaled: true, stored: false }
  state.late.push(...lines.map((line) => makeLate(line, at)))
  try {
    await storeOwed(deps, state)
    return { journaled: false, stored: true }
  } catch (error) {
    deps.log.error('an act took effect that neither journal nor database could be told', { error })
    return { journaled: false, stored: false }
  }
}
