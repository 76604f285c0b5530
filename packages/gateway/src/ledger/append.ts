// The two steps of every act: its journal records on disk, then their effect in the database.
import { type AuditEntry, isServiceError, ServiceError } from '@gatehouse/contracts'
import { type Appended, type HeldJournal, type JournalInput, readHead } from '@gatehouse/journal'
import { type Logger, type Metrics, wallTime } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { deferredEntry, deferredInput, type DeferredLine, makeDeferred } from './deferred.ts'
import { withDiskSpace } from './disk-space.ts'
import { project, projectDeferred, type Projections } from './projection.ts'
import { catchUp } from './recovery.ts'

export interface LedgerDeps {
  readonly journal: HeldJournal
  readonly store: Store
  readonly projections: Projections
  /** Runs the transaction of these lines. */
  readonly during: (entries: readonly AuditEntry[], transact: () => Promise<void>) => Promise<void>
  /** After each transaction, before any caller hears of it; must not throw. */
  readonly committed: (entries: readonly AuditEntry[]) => Promise<void>
  /** After acts took effect whose lines are still to come; must not throw. */
  readonly tookEffect: (entries: readonly AuditEntry[]) => Promise<void>
  /** After a fault of journal or database has passed. */
  readonly mended: () => void
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds that a late act waits for its line; default `limits.lateWait`. */
  readonly lateWait?: number
}

/** Why the journal could not be written, and since when. */
export interface Outage {
  readonly fault: string
  readonly since: string
}

export interface LedgerState {
  /** Why journal and database do not belong together. */
  tampered: string | undefined
  outage: Outage | undefined
  /** The journal may hold lines that the database lacks. */
  behind: boolean
  /** What took effect and is not in the journal yet, in its order. */
  late: DeferredLine[]
  /** Number of the last line that `committed` heard of. */
  heard: number
}

const unwritable = (error: unknown): ServiceError =>
  isServiceError(error) && error.code === 'audit-unwritable'
    ? error
    : new ServiceError('audit-unwritable', {
        detail: 'the journal cannot be written, so nothing was changed',
        hint: 'check the disk, owner and mode of the journal: svcctl audit verify',
        cause: error,
      })

const standing = new WeakSet<Error>()

/** True if the lines of the act are in the journal all the same. */
export const stands = (error: unknown): boolean => error instanceof Error && standing.has(error)

const isBehind = (cause: unknown): ServiceError => {
  const error = new ServiceError('unavailable', {
    detail: 'the act stands in the journal, but the database cannot be written: it takes effect as soon as it can',
    hint: 'read the change before you try again',
    cause,
  })
  standing.add(error)
  return error
}

/** Each line once, in the order of the journal. */
const tell = async ({ committed }: LedgerDeps, state: LedgerState, entries: readonly AuditEntry[]): Promise<void> => {
  const unheard = entries.filter(({ seq }) => seq > state.heard)
  state.heard = unheard.at(-1)?.seq ?? state.heard
  if (unheard.length > 0) await committed(unheard)
}

/** Lines whose transaction was said to have failed, and had not. */
const tellUnheard = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const { seq } = await readHead(deps.store.read)
  if (seq <= state.heard) return
  const unheard: AuditEntry[] = []
  for await (const entry of deps.journal.entriesAfter(state.heard)) {
    if (entry.seq > seq) break
    unheard.push(entry)
  }
  await tell(deps, state, unheard)
}

export const redo = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  await tellUnheard(deps, state)
  const lines = await catchUp({ ...deps, committed: (entries) => tell(deps, state, entries) })
  state.behind = false
  if (lines > 0) deps.log.info('journal lines done again', { lines })
}

/** Throws `audit-unwritable`, and then no effect follows. */
export const append = async (deps: LedgerDeps, state: LedgerState, lines: readonly JournalInput[]): Promise<Appended> => {
  const stop = deps.metrics.histogram('audit_append_duration_seconds').startTimer()
  try {
    const appended = await deps.journal.append(lines)
    stop()
    state.outage = undefined
    return appended
  } catch (error) {
    state.behind = true
    const fault = error instanceof Error ? error.message : String(error)
    state.outage = { fault, since: state.outage?.since ?? wallTime() }
    throw unwritable(error)
  }
}

/** A failed transaction may have happened all the same, so the journal is read again. Throws `unavailable`. */
export const takeEffect = async (deps: LedgerDeps, state: LedgerState, appended: Appended): Promise<void> => {
  try {
    await deps.during(appended.entries, () => withDiskSpace(deps.journal, () => project(deps.store, deps.projections, appended)))
  } catch (error) {
    state.behind = true
    deps.log.warn('a transaction failed behind its journal line', { error })
    await redo(deps, state).catch((again: unknown) => {
      throw isBehind(again)
    })
    return
  }
  await tell(
    deps,
    state,
    appended.lines.map(({ entry }) => entry),
  )
}

/** `journaled`: the line is on disk. `stored`: the effect is in the database. What is not yet, comes as soon as it can. */
export interface DeferredOutcome {
  readonly journaled: boolean
  readonly stored: boolean
}

/** What an answer says of an act that is nowhere on disk. */
export interface Kept {
  readonly kept?: false
}

export const keptOf = ({ journaled, stored }: DeferredOutcome): Kept => (journaled || stored ? {} : { kept: false })

export interface DeferredAct {
  readonly lines: readonly JournalInput[]
  /** When it took effect, however long the journal was waited for. */
  readonly at: Date
}

export const pendingLines = ({ late, outage }: LedgerState): JournalInput[] => [
  ...late.map(deferredInput),
  ...(outage === undefined ? [] : [{ stage: 'recovered' as const, edge: 'gateway', principal: 'gateway', detail: { ...outage } }]),
]

/** Effects that neither the journal nor the database holds. */
export const storePending = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const lines = state.late.filter(({ stored }) => !stored)
  if (lines.length === 0) return
  await withDiskSpace(deps.journal, () => projectDeferred(deps.store, deps.projections, lines))
  for (const line of lines) line.stored = true
  await deps.tookEffect(lines.map(deferredEntry))
}

const journalAlone = async (deps: LedgerDeps, state: LedgerState, lines: readonly JournalInput[]): Promise<boolean> => {
  if (state.tampered !== undefined) return false
  try {
    await append(deps, state, [...pendingLines(state), ...lines])
    state.late = []
    state.behind = true
    return true
  } catch {
    return false
  }
}

/** For acts whose commit failed: never rejects because of journal or database. */
export const keepDeferred = async (deps: LedgerDeps, state: LedgerState, { lines, at }: DeferredAct): Promise<DeferredOutcome> => {
  // What a database that is behind lacks might be what the act is about.
  if (state.behind && state.tampered === undefined) await redo(deps, state).catch(() => {})
  if (state.behind && (await journalAlone(deps, state, lines))) return { journaled: true, stored: false }
  state.late.push(...lines.map((line) => makeDeferred(line, at)))
  try {
    await storePending(deps, state)
    return { journaled: false, stored: true }
  } catch (error) {
    deps.log.error('an act took effect that neither journal nor database could be told', { error })
    return { journaled: false, stored: false }
  }
}
