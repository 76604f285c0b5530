// The only module that writes the journal: the record on disk first, its effect second, batched for many callers.
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEntry, isServiceError, limits, ServiceError } from '@gatehouse/contracts'
import { type JournalInput, readHead } from '@gatehouse/journal'
import { wallMs } from '@gatehouse/kernel'
import { createQueue } from '@gatehouse/store'
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
  stands,
  storePending,
  takeEffect,
} from './append.ts'
import { createBatches } from './batches.ts'
import { deferredStages, readDeferred } from './deferred.ts'
import { backfill } from './line-index.ts'
import { compare, createRecovery } from './recovery.ts'

export type Lines = readonly JournalInput[] | (() => readonly JournalInput[])

export interface Ledger {
  /** Compares journal and database and does again what the database lacks. Only then is the journal released for writing. */
  open(): Promise<void>
  /**
   * The lines are on disk and their effect is in the database when it resolves. Rejects with `audit-unwritable`, and
   * then nothing changed; or with `unavailable`, and then the lines stand and take effect as soon as they can.
   *
   * @param lines a function is called when its turn has come, right before the lines are written: nothing is written where it
   *   returns none. It must not throw.
   */
  commit(lines: Lines): Promise<AuditEntry[]>
  /**
   * For acts that only take power away: neither a journal nor a database at fault stops it, nor one that is slow for
   * longer than `limits.lateWait`. What could not be done now is done as soon as it can be, the line marked
   * `late: { at, id }`. The caller has put the effect into its own memory before.
   */
  commitLate(lines: readonly JournalInput[]): Promise<DeferredOutcome>
  /** Lines of acts that took effect and are nowhere on disk yet. */
  unstored(): number
  /** Brings a database that is behind up to date: call before judging what it holds. */
  settle(): Promise<void>
  /** Why nothing can be decided now; undefined when all is well. */
  fault(): string | undefined
  /** Why journal and database do not belong together; undefined where they do. */
  mismatch(): string | undefined
  /** At the end: signs the journal, and the database knows that line, too. */
  sign(): Promise<void>
  /** Comes back to nothing from now on. */
  close(): void
}

const assertWhole = ({ tampered }: LedgerState): void => {
  if (tampered === undefined) return
  throw new ServiceError('audit-unwritable', {
    detail: `nothing can be decided: ${tampered}`,
    hint: 'the journal was cut or exchanged: run svcctl audit verify, then restore journal and database from one backup',
  })
}

const runBatch = async (deps: LedgerDeps, state: LedgerState, given: readonly Lines[]): Promise<AuditEntry[][]> => {
  assertWhole(state)
  if (state.behind) await redo(deps, state)
  const acts = given.map((lines) => (typeof lines === 'function' ? lines() : lines))
  const owed = pendingLines(state)
  const lines = [...owed, ...acts.flat()]
  if (lines.length === 0) return acts.map(() => [])
  const appended = await append(deps, state, lines)
  state.late = []
  await takeEffect(deps, state, appended)
  let from = owed.length
  return acts.map((act) => appended.entries.slice(from, (from += act.length)))
}

/** A late act took effect before its lines were written. */
type Act = DeferredAct | { readonly lines: Lines; readonly at?: undefined }

type Done = { readonly entries: AuditEntry[] } | { readonly error: unknown; readonly kept: DeferredOutcome | undefined }

const toOutcome = (done: Done): DeferredOutcome => {
  if ('entries' in done) return { journaled: true, stored: true }
  return done.kept ?? { journaled: true, stored: false }
}

/** What cannot wait is kept before anything that came after it is written: what undoes an act never stands before it. */
const runActs = async (deps: LedgerDeps, state: LedgerState, acts: readonly Act[]): Promise<Done[]> => {
  try {
    const written = await runBatch(
      deps,
      state,
      acts.map(({ lines }) => lines),
    )
    return written.map((entries) => ({ entries }))
  } catch (error) {
    const done: Done[] = []
    for (const act of acts)
      done.push({ error, kept: act.at === undefined || stands(error) ? undefined : await keepDeferred(deps, state, act) })
    return done
  }
}

/** A line that cannot be read or understood is no fault that passes: it says what was tampered with. */
const unreadable = (error: unknown): string => {
  if (v.isValiError(error)) return `a line of the journal cannot be done again: ${error.message}`
  if (isServiceError(error) && error.code === 'internal') return error.detail
  throw error
}

const open = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  try {
    const head = await readHead(deps.store.read)
    state.heard = head.seq
    state.tampered = await compare(deps.journal, head)
    if (state.tampered === undefined) {
      await backfill(deps)
      await redo(deps, state)
      await deps.journal.release()
    }
  } catch (error) {
    state.tampered = unreadable(error)
  }
  state.late = await readDeferred(deps.store.read)
  if (state.tampered !== undefined) deps.log.error('journal and database do not belong together', { reason: state.tampered })
}

/** A journal that was cut before its last signature is missing a line that the database holds. */
const signLast = async (deps: LedgerDeps, state: LedgerState): Promise<void> => {
  if (state.tampered !== undefined) return
  try {
    await deps.journal.sign()
    await redo(deps, state)
  } catch (error) {
    deps.log.warn('the last signature of the journal is not in the database', { error })
  }
}

const faultOf = ({ tampered, outage, behind }: LedgerState): string | undefined =>
  tampered ?? outage?.fault ?? (behind ? 'the database is behind the journal' : undefined)

const assertLate = (lines: readonly JournalInput[]): void => {
  for (const { stage } of lines)
    if (!deferredStages.has(stage)) throw new TypeError(`${stage} does more than take power away: it is never late`)
}

const isWell = ({ tampered, outage, behind, late }: LedgerState): boolean =>
  tampered === undefined ? outage === undefined && !behind && late.length === 0 : late.every(({ stored }) => stored)

const nowhere: DeferredOutcome = { journaled: false, stored: false }

const tellNowhere = ({ log }: LedgerDeps, lines: readonly JournalInput[], outcome: DeferredOutcome): DeferredOutcome => {
  const stages = lines.map(({ stage }) => stage)
  if (!outcome.journaled && !outcome.stored) log.error('an act holds until this process ends: it is nowhere on disk yet', { stages })
  return outcome
}

export const createLedger = (deps: LedgerDeps): Ledger => {
  const state: LedgerState = { tampered: undefined, outage: undefined, behind: false, late: [], heard: 0 }
  const queue = createQueue()
  const alone = <T>(act: () => Promise<T>): Promise<T> =>
    queue(act).finally(() => {
      if (!isWell(state)) mend.wake()
    })
  const run = createBatches((acts: readonly Act[]) => alone(() => runActs(deps, state, acts)))
  const commit = async (lines: Lines): Promise<AuditEntry[]> => {
    const done = await run({ lines })
    if ('error' in done) throw done.error
    return done.entries
  }
  const mend = createRecovery(async () => {
    await commit([]).catch(() => {})
    await queue(() => storePending(deps, state))
    if (isWell(state)) deps.mended()
    return isWell(state)
  })
  return {
    open: () => alone(() => open(deps, state)),
    commit,
    commitLate: (lines) => {
      assertLate(lines)
      const wait = pause(deps.lateWait ?? limits.lateWait, nowhere, { ref: false })
      return Promise.race([run({ lines, at: new Date(wallMs()) }).then(toOutcome), wait]).then((outcome) =>
        tellNowhere(deps, lines, outcome),
      )
    },
    unstored: () => state.late.filter(({ stored }) => !stored).length,
    settle: async () => {
      if (state.behind) await alone(() => redo(deps, state))
    },
    fault: () => faultOf(state),
    mismatch: () => state.tampered,
    sign: () => alone(() => signLast(deps, state)),
    close: () => mend.close(),
  }
}

/** A line that another process wants in the journal: of its own stages, in its own name, without any effect. */
export interface Note {
  readonly stage: JournalInput['stage']
  readonly agentGroupID?: string | undefined
  readonly detail: Record<string, unknown>
}

/** The edge's contract bounds the stages. */
export const note = async (ledger: Ledger, edge: string, { stage, agentGroupID, detail }: Note): Promise<void> => {
  await ledger.commit([{ stage, edge, principal: edge, agentGroupID, detail }])
}
