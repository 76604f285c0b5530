// A human's word on a held change: exactly one decision counts, and what was approved is what is applied.
import { type Change, type Decision, type Digest, Requester, ServiceError, Submission } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { parse } from '../input/parse.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { apply, type ApplyDeps } from './apply.ts'
import { hasMoved, judgeAgain } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { readChange } from './read.ts'

export interface DecideDeps extends ApplyDeps {
  readonly ledger: Ledger
  /** By group: what is judged under it stays as it is until the act ends. */
  readonly lock: Lock
}

export interface Verdict {
  readonly id: string
  readonly outcome: 'approve' | 'reject'
  readonly decidedBy: string
  readonly reason?: string | undefined
  /** Of the change as the decider saw it. */
  readonly digest?: Digest | undefined
}

const outcomes = { approve: 'approved', reject: 'rejected' } as const

const alreadyDecided = (change: Change): ServiceError => {
  const decision = change.decisions.at(-1)
  const detail =
    decision === undefined
      ? `${change.id} was refused by the verifier (${change.failure?.rule ?? 'no rule'}) at ${change.createdAt}`
      : `${change.id} was ${outcomes[decision.outcome]} by ${decision.by} (${decision.principal}) at ${decision.at}`
  return new ServiceError('change-already-decided', { detail, hint: 'submit a new change' })
}

const showAgain = 'look at the change again and decide on what it shows now'

const assertDecidable = (change: Change, verdict: Verdict): void => {
  if (change.state !== 'held') throw alreadyDecided(change)
  if (verdict.digest === undefined || verdict.digest === change.digest) return
  throw new ServiceError('digest-mismatch', {
    detail: `expected ${change.digest}, which is ${change.id} as it is now, got ${verdict.digest}`,
    hint: showAgain,
    extra: { digest: change.digest },
  })
}

/** The line that brings the change up to the world as it is; undefined when nothing has moved. */
const rebase = async (deps: DecideDeps, actor: Actor, change: Change): Promise<{ line: JournalInput; digest: Digest } | undefined> => {
  const { draft } = await judgeAgain(deps, change)
  if (draft === undefined || !hasMoved(change, draft)) return undefined
  return { line: changeLine('rebased', { actor, change }, { ...draft }), digest: draft.digest }
}

const stale = (change: Change, digest: Digest): ServiceError =>
  new ServiceError('change-stale', {
    detail: `what ${change.id} would change, or its evidence, has moved since it was shown`,
    hint: showAgain,
    extra: { digest },
  })

const decisionOf = (deps: DecideDeps, actor: Actor, { verdict, digest }: { verdict: Verdict; digest: Digest }): Decision => ({
  outcome: verdict.outcome,
  by: verdict.decidedBy,
  principal: actor.principal,
  ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
  at: new Date(deps.clock()).toISOString(),
  digest,
})

const approve = async (deps: DecideDeps, actor: Actor, { change, verdict }: { change: Change; verdict: Verdict }): Promise<Change> => {
  const rebased = await rebase(deps, actor, change)
  if (rebased !== undefined && verdict.digest !== undefined) {
    await deps.ledger.commit([rebased.line])
    throw stale(change, rebased.digest)
  }
  const decision = decisionOf(deps, actor, { verdict, digest: rebased?.digest ?? change.digest })
  await deps.ledger.commit([
    ...(rebased === undefined ? [] : [rebased.line]),
    changeLine('approve', { actor, change }, { decision }),
    ...(change.principal === actor.principal ? [changeLine('self-approved', { actor, change }, { digest: decision.digest })] : []),
  ])
  return apply(deps, actor, await readChange(deps.store.read, change.id))
}

const reject = async (deps: DecideDeps, actor: Actor, { change, verdict }: { change: Change; verdict: Verdict }): Promise<Change> => {
  const decision = decisionOf(deps, actor, { verdict, digest: change.digest })
  await deps.ledger.commit([changeLine('reject', { actor, change }, { decision })])
  return readChange(deps.store.read, change.id)
}

/** @param door the edge and the principal that proved itself */
export const decide = async (deps: DecideDeps, door: Actor, given: Verdict): Promise<Change> => {
  const decidedBy = parse(Requester, given.decidedBy, '/decidedBy')
  const reason = parse(Submission.entries.reason, given.reason, '/reason')
  const verdict: Verdict = { ...given, decidedBy, reason }
  const actor: Actor = { ...door, by: decidedBy }
  const { agentGroupID } = await readChange(deps.store.read, verdict.id)
  return deps.lock(agentGroupID, async () => {
    await deps.ledger.settle()
    const change = await readChange(deps.store.read, verdict.id)
    assertDecidable(change, verdict)
    return verdict.outcome === 'approve' ? approve(deps, actor, { change, verdict }) : reject(deps, actor, { change, verdict })
  })
}
