// A person's word on a change, as it comes in and as it is kept.
import { type Decision, type Digest, Requester, Submission } from '@gatehouse/contracts'
import { parse } from '../input/parse.ts'
import type { Actor } from './lines.ts'

export interface Verdict {
  readonly id: string
  readonly outcome: 'approve' | 'reject'
  readonly decidedBy: string
  readonly reason?: string | undefined
  /** Of the change as the decider saw it. */
  readonly digest?: Digest | undefined
}

export const showAgain = 'look at the change again and decide on what it shows now'

export const readVerdict = (given: Verdict): Verdict => ({
  ...given,
  decidedBy: parse(Requester, given.decidedBy, '/decidedBy'),
  reason: parse(Submission.entries.reason, given.reason, '/reason'),
})

/** @param now milliseconds since the epoch */
export const decisionOf = (
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
