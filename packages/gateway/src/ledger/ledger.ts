// The only module that writes the journal: the record on disk first, its effect second, batched for many callers.
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEntry, isServiceError, limits, ServiceError } from '@gatehouse/contracts'
import { type JournalInput, readHead } from '@gatehouse/journal'
import { createSerialQueue, wallMs } from '@gatehouse/kernel'
import * as v from 'valibot'
import {
  append,
  type DeferredAct,
  type DeferredOutcome,
  keepDeferred,
  type LedgerDeps,
  type LedgerState,
  pendingLines,
  redo,
  isJournaled,
  storePending,
  takeEffect,
} from './append.ts'
import { createBatches } from './batches.ts'
import { deferredStages, readDeferred } from './deferred.ts'
import { backfill } from './line-index.ts'
import { compare, createRecovery } from './recovery.ts'

export type Lines = readonly JournalInput[] | (() => readonly JournalInput[])

export interface Ledger {
  /** Compares journal and database, and applies the records that the database is missing. Then releases the journal for writing. */
  open(): Promise<void>
  /**
   * Resolves when the records are on disk and their effect is in the database. Rejects with `audit-unwritable` if nothing
   * changed, or with `unavailable` if the records are in the journal and take effect later.
   *
   * @param lines a function is called right before the write. Nothing is written if it returns no records. It must not throw.
   */
  commit(lines: Lines): Promise<AuditEntry[]>
  /**
   * For acts that only remove access. Neither a faulty journal or database stops it, nor one that is slower than
   * `limits.lateWait`. The missing steps are retried, and the record is marked `late: { at, id }`. The caller must have
   * applied the effect in memory already.
   */
  commitLate(lines: readonly JournalInput[]): Promise<DeferredOutcome>
  /** Number of acts that took effect and are not on disk yet. */
  unpersisted(): number
  /** Brings a database that is behind up to date. Call it before reading state for a decision. */
  settle(): Promise<void>
  /** The reason why nothing can be decided now; undefined if there is no fault. */
  fault(): string | undefined
  /** The reason why journal and database do not match; undefined if they match. */
  mismatch(): string | undefined
  /** Signs the journal at shutdown and stores the signature record in the database. */
  sign(): Promise<void>
  /** Stops all retries. */
  close(): void
}

const assertNotTampered = ({ tampered }: LedgerState): void => {
  if (tampered === undefined) return
  throw new ServiceError('audit-unwritable', {
    detail: `nothing can be decided: ${tampered}`,
    hint: 'the journal was truncated or replaced: run svcctl audit verify, then restore journal and database from one backup',
  })
}

const runBatch = async (deps: LedgerDeps, state: LedgerState, batch: readonly Lines[]): Promise<AuditEntry[][]> => {
  assertNotTampered(state)
  if (state.behind) await redo(deps, state)
  const acts = batch.map((lines) => (typeof lines === 'function' ? lines() : lines))
  const pending = pendingLines(state)
  const lines = [...pending, ...acts.flat()]
  if (lines.length === 0) return acts.map(() => [])
  const appended = await append(deps, state, lines)
  state.late = []
  await takeEffect(deps, state, appended)
  let from = pending.length
  return acts.map((act) => appended.entries.slice(from, (from += act.length)))
}

/** A deferred act took effect before its records were written. */
type Act = DeferredAct | { readonly lines: Lines; readonly at?: undefined }

type ActResult = { readonly entries: AuditEntry[] } | { readonly error: unknown; readonly kept: DeferredOutcome | undefined }

const toOutcome = (result: ActResult): DeferredOutcome => {
  if ('entries' in result) return { journaled: true, stored: true }
  return result.kept ?? { journaled: true, stored: false }
}

/** Keeps failed acts in their order, so that an act that undoes another is never recorded before it. */
const runActs = async (deps: LedgerDeps, state: LedgerState, acts: readonly Act[]): Promise<ActResult[]> => {
  try {
    const written = await runBatch(
      deps,
      state,
      acts.map(({ lines }) => lines),
    )
    return written.map((entries) => ({ entries }))
  } catch (error) {
    const results: ActResult[] = []
    for (const act of acts)
      results.push({ error, kept: act.at === undefined || isJournaled(error) ? undefined : await keepDeferred(deps, state, act) })
    return results
  }
}

/** A record that cannot be parsed is a sign of tampering, not a temporary fault. */
const describeUnreadable = (error: unknown): string => {
  if (v.isValiError(error)) return `a journal record cannot be applied: ${error.message}`
  if (isServiceError(error) && error.code === 'internal') return error.detail
  throw error
}

const open = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  try {
    const head = await readHead(deps.store.read)
    state.lastPublishedSeq = head.seq
    state.tampered = await compare(deps.journal, head)
    if (state.tampered === undefined) {
      await backfill(deps)
      await redo(deps, state)
      await deps.journal.release()
    }
  } catch (error) {
    state.tampered = describeUnreadable(error)
  }
  state.late = await readDeferred(deps.store.read)
  if (state.tampered !== undefined) deps.log.error('journal and database do not match', { reason: state.tampered })
}

/** If the journal is truncated before its last signature, the database detects the missing record. */
const signLast = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  if (state.tampered !== undefined) return
  try {
    await deps.journal.sign()
    await redo(deps, state)
  } catch (error) {
    deps.log.warn('could not store the last signature of the journal in the database', { error })
  }
}

const faultOf = ({ tampered, outage, behind }: LedgerState): string | undefined =>
  tampered ?? outage?.fault ?? (behind ? 'the database is behind the journal' : undefined)

const assertDeferrable = (lines: readonly JournalInput[]): void => {
  for (const { stage } of lines)
    if (!deferredStages.has(stage)) throw new TypeError(`${stage} does not only remove access, so it cannot be deferred`)
}

const isHealthy = ({ tampered, outage, behind, late }: LedgerState): boolean =>
  tampered === undefined ? outage === undefined && !behind && late.length === 0 : late.every(({ stored }) => stored)

const notStored: DeferredOutcome = { journaled: false, stored: false }

const reportUnpersisted = ({ log }: LedgerDeps, lines: readonly JournalInput[], outcome: DeferredOutcome): DeferredOutcome => {
  const stages = lines.map(({ stage }) => stage)
  if (!outcome.journaled && !outcome.stored) log.error('an act is only in memory and is lost when this process ends', { stages })
  return outcome
}

export const createLedger = (deps: LedgerDeps): Ledger => {
  const state: LedgerState = { tampered: undefined, outage: undefined, behind: false, late: [], lastPublishedSeq: 0 }
  const queue = createSerialQueue()
  const runExclusively = <T>(act: () => Promise<T>): Promise<T> =>
    queue(act).finally(() => {
      if (!isHealthy(state)) recovery.wake()
    })
  const run = createBatches((acts: readonly Act[]) => runExclusively(() => runActs(deps, state, acts)))
  const commit = async (lines: Lines): Promise<AuditEntry[]> => {
    const result = await run({ lines })
    if ('error' in result) throw result.error
    return result.entries
  }
  const recovery = createRecovery(async () => {
    await commit([]).catch(() => {})
    await queue(() => storePending(deps, state))
    if (isHealthy(state)) deps.recovered()
    return isHealthy(state)
  })
  return {
    open: () => runExclusively(() => open(deps, state)),
    commit,
    commitLate: (lines) => {
      assertDeferrable(lines)
      const wait = pause(deps.lateWait ?? limits.lateWait, notStored, { ref: false })
      return Promise.race([run({ lines, at: new Date(wallMs()) }).then(toOutcome), wait]).then((outcome) =>
        reportUnpersisted(deps, lines, outcome),
      )
    },
    unpersisted: () => state.late.filter(({ stored }) => !stored).length,
    settle: async () => {
      if (state.behind) await runExclusively(() => redo(deps, state))
    },
    fault: () => faultOf(state),
    mismatch: () => state.tampered,
    sign: () => runExclusively(() => signLast(deps, state)),
    close: () => recovery.close(),
  }
}

/** A record that another process adds to the journal under its own name, without an effect in the database. */
export interface Note {
  readonly stage: JournalInput['stage']
  readonly agentGroupID?: string | undefined
  readonly detail: Record<string, unknown>
}

/** Journals a note. The contract of the edge restricts its stages. */
export const note = async (ledger: Ledger, edge: string, { stage, agentGroupID, detail }: Note): Promise<void> => {
  await ledger.commit([{ stage, edge, principal: edge, agentGroupID, detail }])
}
