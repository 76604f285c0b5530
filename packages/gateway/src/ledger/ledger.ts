// The one place where journal and database meet: the line on disk first, its effect second, many callers at once.
// Nothing else appends to the journal, and nothing that a line stands for is written anywhere else.
import { type AuditEntry, isServiceError, ServiceError } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import * as v from 'valibot'
import { append, type LedgerDeps, type LedgerState, redo, takeEffect } from './act.ts'
import { createBatches } from './batches.ts'
import { compare } from './compare.ts'
import { readHead } from './head.ts'

export interface Ledger {
  /** Compares journal and database and does again what the database lacks. */
  open(): Promise<void>
  /**
   * The lines are on disk and their effect is in the database when it resolves. Rejects with `audit-unwritable`, and
   * then nothing changed; or with `unavailable`, and then the lines stand and take effect as soon as they can.
   */
  commit(lines: readonly JournalInput[]): Promise<AuditEntry[]>
  /** Brings a database that is behind up to date: call before judging what it holds. */
  settle(): Promise<void>
  /** Why nothing can be decided now; undefined when all is well. */
  fault(): string | undefined
}

const assertWhole = ({ tampered }: LedgerState): void => {
  if (tampered === undefined) return
  throw new ServiceError('audit-unwritable', {
    detail: `nothing can be decided: ${tampered}`,
    hint: 'the journal was cut or exchanged: run svcctl audit verify, then restore journal and database from one backup',
  })
}

const runBatch = async (deps: LedgerDeps, state: LedgerState, acts: readonly (readonly JournalInput[])[]): Promise<AuditEntry[][]> => {
  assertWhole(state)
  if (state.behind) await redo(deps, state)
  const lines = acts.flat()
  if (lines.length === 0) return acts.map(() => [])
  const appended = await append(deps, state, lines)
  await takeEffect(deps, state, appended)
  let from = 0
  return acts.map((act) => appended.entries.slice(from, (from += act.length)))
}

/** A line that cannot be read or understood is no fault that passes: it says what was tampered with. */
const unreadable = (error: unknown): string => {
  if (v.isValiError(error)) return `a line of the journal cannot be done again: ${error.message}`
  if (isServiceError(error) && error.code === 'internal') return error.detail
  throw error
}

const open = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  try {
    state.tampered = await compare(deps.journal, await readHead(deps.store.read))
    if (state.tampered === undefined) await redo(deps, state)
  } catch (error) {
    state.tampered = unreadable(error)
  }
  if (state.tampered !== undefined) deps.log.error('journal and database do not belong together', { reason: state.tampered })
}

export const createLedger = (deps: LedgerDeps): Ledger => {
  const state: LedgerState = { tampered: undefined, failed: undefined, behind: false }
  const act = createBatches((acts: readonly (readonly JournalInput[])[]) => runBatch(deps, state, acts))
  return {
    open: () => open(deps, state),
    commit: act,
    settle: async () => {
      if (state.behind) await act([])
    },
    fault: () => state.tampered ?? state.failed ?? (state.behind ? 'the database is behind the journal' : undefined),
  }
}
