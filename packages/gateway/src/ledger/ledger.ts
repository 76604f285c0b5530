// The one place where journal and database meet: the line on disk first, its effect second, many callers at once.
// Nothing else appends to the journal, and nothing that a line stands for is written anywhere else.
import { type AuditEntry, isServiceError, ServiceError } from '@gatehouse/contracts'
import type { Journal, JournalInput } from '@gatehouse/journal'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { catchUp } from './catch-up.ts'
import { compare } from './compare.ts'
import { readHead } from './head.ts'
import { type Projections, project } from './projection.ts'

export interface Ledger {
  /** Compares journal and database and does again what the database lacks. */
  open(): Promise<void>
  /**
   * The lines are on disk and their effect is in the database when it resolves. Rejects with `audit-unwritable`, and
   * then nothing changed; or with `unavailable`, and then the lines stand and take effect as soon as they can.
   */
  commit(lines: readonly JournalInput[]): Promise<AuditEntry[]>
  /** Brings a database that is behind up to date; call before judging what it holds. */
  settle(): Promise<void>
  /** Why nothing can be decided, or why the last line could not be written. */
  fault(): string | undefined
}

export interface LedgerDeps {
  readonly journal: Journal
  readonly store: Store
  readonly projections: Projections
  committed(entries: readonly AuditEntry[]): Promise<void>
  readonly log: Logger
  readonly metrics: Metrics
}

interface Waiting {
  readonly lines: readonly JournalInput[]
  readonly resolve: (entries: AuditEntry[]) => void
  readonly reject: (error: unknown) => void
}

const hint = 'check the disk, owner and mode of the journal: svcctl audit verify'

const unwritable = (error: unknown): ServiceError =>
  isServiceError(error) && error.code === 'audit-unwritable'
    ? error
    : new ServiceError('audit-unwritable', { detail: 'the journal cannot be written, so nothing was changed', hint, cause: error })

const behindError = (error: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: 'the act stands in the journal, but the database cannot be written: it takes effect as soon as it can',
    hint: 'read the change before you try again',
    cause: error,
  })

export const createLedger = (deps: LedgerDeps): Ledger => {
  const { journal, store, projections, log, metrics } = deps
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let tampered: string | undefined
  let failed: string | undefined
  /** The journal may hold lines that the database lacks. */
  let behind = false

  const assertWhole = (): void => {
    if (tampered === undefined) return
    throw new ServiceError('audit-unwritable', {
      detail: `nothing can be decided: ${tampered}`,
      hint: 'the journal was cut or exchanged: run svcctl audit verify, then restore state directory and journal from one backup',
    })
  }

  const redo = async (): Promise<void> => {
    const lines = await catchUp(deps)
    behind = false
    if (lines > 0) log.info('journal lines done again', { lines })
  }

  const append = async (lines: readonly JournalInput[]): ReturnType<Journal['append']> => {
    const stop = metrics.histogram('audit_append_duration_seconds').startTimer()
    try {
      const appended = await journal.append(lines)
      stop()
      failed = undefined
      return appended
    } catch (error) {
      behind = true
      failed = error instanceof Error ? error.message : String(error)
      log.error('the journal cannot be written', { error })
      throw unwritable(error)
    }
  }

  const takeEffect = async (appended: Awaited<ReturnType<Journal['append']>>): Promise<void> => {
    try {
      behind = true
      await project(store, projections, appended)
      behind = false
    } catch (error) {
      log.warn('a transaction failed behind its journal line', { error })
      await redo().catch((again: unknown) => {
        throw behindError(again)
      })
      return
    }
    await deps.committed(appended.entries)
  }

  const runBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      assertWhole()
      if (behind) await redo()
      const appended = await append(batch.flatMap((item) => item.lines))
      await takeEffect(appended)
      let from = 0
      for (const item of batch) item.resolve(appended.entries.slice(from, (from += item.lines.length)))
    } catch (error) {
      for (const item of batch) item.reject(error)
    }
  }

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await runBatch(waiting.splice(0))
    draining = undefined
  }

  return {
    open: async () => {
      tampered = await compare(journal, await readHead(store.read))
      if (tampered === undefined) {
        await redo().catch((error: unknown) => {
          if (!(error instanceof v.ValiError)) throw error
          tampered = `a journal line cannot be done again: ${error.message}`
        })
      }
      if (tampered !== undefined) log.error('journal and database do not belong together: nothing can be decided', { reason: tampered })
    },
    commit: (lines) =>
      new Promise((resolve, reject) => {
        waiting.push({ lines, resolve, reject })
        draining ??= drain()
      }),
    settle: async () => {
      if (behind) await new Promise<AuditEntry[]>((resolve, reject) => {
        waiting.push({ lines: [], resolve, reject })
        draining ??= drain()
      })
    },
    fault: () => tampered ?? failed,
  }
}
