// Parses a decision and formats it for storage.
import { type Change, type Decision, type Digest, nextStep, Requester, ServiceError, Submission } from '@gatehouse/contracts'
import { parse } from '../input.ts'
import type { Actor } from '../state/change-records.ts'

export interface Verdict {
  readonly id: string
  readonly outcome: 'approve' | 'reject'
  readonly decidedBy: string
  readonly reason?: string | undefined
  /** The digest of the change as the decider saw it. */
  readonly digest?: Digest | undefined
}

export const showAgain = 'review the change again, then decide'

export const readVerdict = (input: Verdict): Verdict => ({
  ...input,
  decidedBy: parse(Requester, input.decidedBy, '/decidedBy'),
  reason: parse(Submission.entries.reason, input.reason, '/reason'),
})

/** @param now milliseconds since the epoch */
export const buildDecision = (
  { outcome, decidedBy, reason }: Verdict,
  { actor: { principal, via }, person, digest, now }: { actor: Actor; person?: string; digest: Digest; now: number },
): Decision => ({
  outcome,
  by: decidedBy,
  principal,
  ...(person === undefined ? {} : { person }),
  ...(via === undefined ? {} : { via }),
  ...(reason === undefined ? {} : { reason }),
  at: new Date(now).toISOString(),
  digest,
})

const outcomes = { approve: 'approved', reject: 'rejected' } as const

interface End {
  readonly how: string
  readonly by: string
  readonly principal: string
  readonly at: string
}

/** How the change ended, by whom and when. */
const readEnd = (change: Change): End => {
  const decision = change.decisions.at(-1)
  if (change.ended !== undefined) return { how: change.state, ...change.ended }
  if (decision !== undefined) return { how: outcomes[decision.outcome], ...decision }
  return { how: `refused (${change.failure?.rule ?? 'no rule'})`, by: 'the verifier', principal: 'gateway', at: change.createdAt }
}

export const alreadyDecidedError = (change: Change): ServiceError => {
  const { how, by, principal, at } = readEnd(change)
  return new ServiceError('change-already-decided', {
    detail: `${change.id} was ${how} by ${by} (${principal}) at ${at}`,
    hint: nextStep(change),
    extra: { state: change.state, by, principal, at },
  })
}
