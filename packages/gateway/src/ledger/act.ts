// The two steps of every act: its lines on disk, then their effect in the database.
import { type AuditEntry, isServiceError, ServiceError } from '@gatehouse/contracts'
import type { Head, Journal, JournalInput } from '@gatehouse/journal'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { catchUp } from './catch-up.ts'
import { type Projections, project } from './projection.ts'

export interface LedgerDeps {
  readonly journal: Journal
  readonly store: Store
  readonly projections: Projections
  /** After each transaction, before any caller hears of it; must not throw. */
  readonly committed: (entries: readonly AuditEntry[]) => Promise<void>
  readonly log: Logger
  readonly metrics: Metrics
}

export interface LedgerState {
  /** Why journal and database do not belong together. */
  tampered: string | undefined
  /** Why the last line could not be written. */
  failed: string | undefined
  /** The journal may hold lines that the database lacks. */
  behind: boolean
}

export interface Appended {
  readonly entries: readonly AuditEntry[]
  readonly head: Head
}

const unwritable = (error: unknown): ServiceError =>
  isServiceError(error) && error.code === 'audit-unwritable'
    ? error
    : new ServiceError('audit-unwritable', {
        detail: 'the journal cannot be written, so nothing was changed',
        hint: 'check the disk, owner and mode of the journal: svcctl audit verify',
        cause: error,
      })

const isBehind = (error: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: 'the act stands in the journal, but the database cannot be written: it takes effect as soon as it can',
    hint: 'read the change before you try again',
    cause: error,
  })

export const redo = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  const lines = await catchUp(deps)
  state.behind = false
  if (lines > 0) deps.log.info('journal lines done again', { lines })
}

/** Throws `audit-unwritable`, and then no effect follows. */
export const append = async (deps: LedgerDeps, state: LedgerState, lines: readonly JournalInput[]): Promise<Appended> => {
  const stop = deps.metrics.histogram('audit_append_duration_seconds').startTimer()
  try {
    const appended = await deps.journal.append(lines)
    stop()
    state.failed = undefined
    return appended
  } catch (error) {
    state.behind = true
    state.failed = error instanceof Error ? error.message : String(error)
    deps.log.error('the journal cannot be written', { error })
    throw unwritable(error)
  }
}

/** A failed transaction may have happened all the same, so the journal is read again. Throws `unavailable`. */
export const takeEffect = async (deps: LedgerDeps, state: LedgerState, appended: Appended): Promise<void> => {
  try {
    await project(deps.store, deps.projections, appended)
  } catch (error) {
    state.behind = true
    deps.log.warn('a transaction failed behind its journal line', { error })
    await redo(deps, state).catch((again: unknown) => {
      throw isBehind(again)
    })
    return
  }
  await deps.committed(appended.entries)
}
