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
  /** Runs the transaction of these records. */
  readonly during: (entries: readonly AuditEntry[], transact: () => Promise<void>) => Promise<void>
  /** Called after each transaction, before its callers resume. Must not throw. */
  readonly committed: (entries: readonly AuditEntry[]) => Promise<void>
  /** Called after acts took effect whose records are not journaled yet. Must not throw. */
  readonly tookEffect: (entries: readonly AuditEntry[]) => Promise<void>
  /** Called after the journal and the database recovered from a fault. */
  readonly recovered: () => void
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds that a deferred act waits for its record; default `limits.lateWait`. */
  readonly lateWait?: number
}

/** The reason why the journal cannot be written, and since when. */
export interface Outage {
  readonly fault: string
  readonly since: string
}

export interface LedgerState {
  /** The reason why journal and database do not match. */
  tampered: string | undefined
  outage: Outage | undefined
  /** The journal may hold records that are missing in the database. */
  behind: boolean
  /** Acts that took effect and are not in the journal yet, in order. */
  late: DeferredLine[]
  /** Number of the last record that was passed to `committed`. */
  lastPublishedSeq: number
}

const unwritable = (error: unknown): ServiceError =>
  isServiceError(error) && error.code === 'audit-unwritable'
    ? error
    : new ServiceError('audit-unwritable', {
        detail: 'the journal cannot be written, so nothing was changed',
        hint: 'check the disk, owner and mode of the journal: svcctl audit verify',
        cause: error,
      })

const journaledErrors = new WeakSet<Error>()

/** True if the records of the act are in the journal despite the error. */
export const isJournaled = (error: unknown): boolean => error instanceof Error && journaledErrors.has(error)

const isBehind = (cause: unknown): ServiceError => {
  const error = new ServiceError('unavailable', {
    detail: 'the act is in the journal, but the database cannot be written: it takes effect as soon as the database can be written',
    hint: 'read the change before you try again',
    cause,
  })
  journaledErrors.add(error)
  return error
}

/** Publishes each record once, in journal order. */
const publish = async ({ committed }: LedgerDeps, state: LedgerState, entries: readonly AuditEntry[]): Promise<void> => {
  const unpublished = entries.filter(({ seq }) => seq > state.lastPublishedSeq)
  state.lastPublishedSeq = unpublished.at(-1)?.seq ?? state.lastPublishedSeq
  if (unpublished.length > 0) await committed(unpublished)
}

/** Publishes records of transactions that were reported as failed but succeeded. */
const publishMissed = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const { seq } = await readHead(deps.store.read)
  if (seq <= state.lastPublishedSeq) return
  const unpublished: AuditEntry[] = []
  for await (const entry of deps.journal.entriesAfter(state.lastPublishedSeq)) {
    if (entry.seq > seq) break
    unpublished.push(entry)
  }
  await publish(deps, state, unpublished)
}

/** Applies the journal records that are missing in the database. */
export const redo = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  await publishMissed(deps, state)
  const lines = await catchUp({ ...deps, committed: (entries) => publish(deps, state, entries) })
  state.behind = false
  if (lines > 0) deps.log.info('journal records applied to the database', { lines })
}

/** Appends records to the journal. Throws `audit-unwritable`, and then nothing has changed. */
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

/** Applies appended records to the database. If that fails, reads the journal again. Throws `unavailable`. */
export const takeEffect = async (deps: LedgerDeps, state: LedgerState, appended: Appended): Promise<void> => {
  try {
    await deps.during(appended.entries, () => withDiskSpace(deps.journal, () => project(deps.store, deps.projections, appended)))
  } catch (error) {
    state.behind = true
    deps.log.warn('could not apply a journal record to the database, reading the journal again', { error })
    await redo(deps, state).catch((again: unknown) => {
      throw isBehind(again)
    })
    return
  }
  await publish(
    deps,
    state,
    appended.lines.map(({ entry }) => entry),
  )
}

/** `journaled`: the record is on disk. `stored`: the effect is in the database. Whatever is missing is retried. */
export interface DeferredOutcome {
  readonly journaled: boolean
  readonly stored: boolean
}

/** Marks an answer about an act that is not yet on disk. */
export interface Durability {
  readonly kept?: false
}

export const getDurability = ({ journaled, stored }: DeferredOutcome): Durability => (journaled || stored ? {} : { kept: false })

export interface DeferredAct {
  readonly lines: readonly JournalInput[]
  /** When it took effect, regardless of how long the journal took. */
  readonly at: Date
}

export const pendingLines = ({ late, outage }: LedgerState): JournalInput[] => [
  ...late.map(deferredInput),
  ...(outage === undefined ? [] : [{ stage: 'recovered' as const, edge: 'gateway', principal: 'gateway', detail: { ...outage } }]),
]

/** Stores effects that are neither in the journal nor in the database. */
export const storePending = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const lines = state.late.filter(({ stored }) => !stored)
  if (lines.length === 0) return
  await withDiskSpace(deps.journal, () => projectDeferred(deps.store, deps.projections, lines))
  for (const line of lines) line.stored = true
  await deps.tookEffect(lines.map(deferredEntry))
}

const tryJournal = async (deps: LedgerDeps, state: LedgerState, lines: readonly JournalInput[]): Promise<boolean> => {
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

/** Keeps acts whose commit failed. Never rejects because of the journal or the database. */
export const keepDeferred = async (deps: LedgerDeps, state: LedgerState, { lines, at }: DeferredAct): Promise<DeferredOutcome> => {
  // The object of the act may be missing in a database that is behind.
  if (state.behind && state.tampered === undefined) await redo(deps, state).catch(() => {})
  if (state.behind && (await tryJournal(deps, state, lines))) return { journaled: true, stored: false }
  state.late.push(...lines.map((line) => makeDeferred(line, at)))
  try {
    await storePending(deps, state)
    return { journaled: false, stored: true }
  } catch (error) {
    deps.log.error('an act took effect but is neither in the journal nor in the database', { error })
    return { journaled: false, stored: false }
  }
}
