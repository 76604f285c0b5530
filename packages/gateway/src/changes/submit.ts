// Submits changes: held for approval, or refused by the verifier. Never applies anything.
import {
  type Change,
  type ChangeID,
  type Idempotency,
  kinds,
  type Preview,
  Requester,
  ServiceError,
  type Submission,
  type SubmitOutcome,
  type Submitted,
} from '@gatehouse/contracts'
import { type Clock, sha256 } from '@gatehouse/kernel'
import { parse } from '../input.ts'
import { rebind } from '../kinds/index.ts'
import type { Inverse } from '../kinds/kind.ts'
import { changeLine } from '../state/change-records.ts'
import { readChange } from '../state/changes.ts'
import type { Lock } from '../state/lock.ts'
import { isRequestedByAgent } from '../state/unit-config.ts'
import { type QuotaDeps, findDuplicate, getRequestKey } from './agent-quota.ts'
import {
  type Examined,
  type ChangeRequester,
  compose,
  type ComposeDeps,
  examine,
  type ExamineDeps,
  type Origin,
  getOutcome,
} from './examine.ts'
import { findAttempt, type RepeatDeps } from './idempotency.ts'

export interface SubmitDeps extends ExamineDeps, ComposeDeps, QuotaDeps, RepeatDeps {
  readonly boot: ExamineDeps['boot'] & ComposeDeps['boot']
  readonly lock: Lock
  readonly clock: Clock
}

export interface Request extends Origin {
  readonly submission: Submission
  readonly idempotency?: Idempotency | undefined
}

interface AcceptedRequest {
  readonly requester: ChangeRequester
  readonly request: Request
}

const record = async (deps: SubmitDeps, { requester, request }: AcceptedRequest, examined: Examined): Promise<SubmitOutcome> => {
  const change = compose(deps, { requester, origin: request }, examined)
  const { edge, principal, by } = requester
  const detail = {
    change,
    ...(request.idempotency === undefined ? {} : { idempotency: request.idempotency }),
    ...(isRequestedByAgent(examined.context) ? { wish: getRequestKey(examined.bound) } : {}),
  }
  const stage = change.state === 'refused' ? 'refuse' : 'submit'
  await deps.ledger.commit([changeLine(stage, { actor: { edge, principal, by }, change }, detail)])
  return { ...getOutcome(change), replayed: false }
}

/** Serializes the requests of a group's agents, so duplicates become one change. No group id contains a space. */
const recordForAgent = (deps: SubmitDeps, accepted: AcceptedRequest, examined: Examined): Promise<SubmitOutcome> => {
  const { agentGroupID } = examined.context
  return deps.lock(`requests of ${agentGroupID}`, async () => {
    const duplicate = await findDuplicate(deps, { bound: examined.bound, agentGroupID, failure: examined.failure })
    return duplicate === undefined ? record(deps, accepted, examined) : { ...getOutcome(duplicate), replayed: true }
  })
}

const examineAndRecord = async (deps: SubmitDeps, accepted: AcceptedRequest): Promise<SubmitOutcome> => {
  const examined = await examine(deps, accepted.requester, accepted.request.submission)
  return isRequestedByAgent(examined.context) ? recordForAgent(deps, accepted, examined) : record(deps, accepted, examined)
}

/** Stores a keyed hash of the body, which may hold secret values. */
const hashBody = ({ secrets }: SubmitDeps, { idempotency }: Request): Idempotency | undefined =>
  idempotency && { ...idempotency, body: sha256(secrets.hmac(`body ${idempotency.body}`)) }

/** Submits a change. With an idempotency key, a second attempt waits for the first and returns its result. */
export const submit = async (deps: SubmitDeps, requester: ChangeRequester, request: Request): Promise<SubmitOutcome> => {
  const by = parse(Requester, request.submission.requestedBy ?? requester.by, '/requestedBy')
  const idempotency = hashBody(deps, request)
  const accepted: AcceptedRequest = { requester: { ...requester, by }, request: { ...request, idempotency } }
  if (idempotency === undefined) return examineAndRecord(deps, accepted)
  const { principal } = requester
  return deps.lock(`attempt ${JSON.stringify([principal, idempotency.route, idempotency.key])}`, async () => {
    await deps.ledger.settle()
    return (await findAttempt(deps, principal, idempotency)) ?? examineAndRecord(deps, accepted)
  })
}

/** Includes the kind and `after`, which decide which values are masked. */
export interface PreviewedChange extends Preview, Pick<Change, 'kind' | 'after'> {}

export const preview = async (deps: ExamineDeps, requester: ChangeRequester, submission: Submission): Promise<PreviewedChange> => {
  parse(Requester, submission.requestedBy ?? requester.by, '/requestedBy')
  const { bound, draft, failure } = await examine(deps, requester, submission)
  const { digest, ...shown } = draft
  const verdict = failure === undefined ? { state: 'held' as const } : { state: 'refused' as const, failure }
  const digestField = kinds[bound.kind].secretive ? {} : { digest }
  return { kind: bound.kind, after: bound.after, ...shown, ...digestField, ...verdict }
}

/** Requests the inverse of an applied change. Like any change, it is held for approval. */
export interface Reversal {
  readonly id: ChangeID
  readonly requestedBy?: string | undefined
  readonly reason?: string | undefined
}

const buildInverse = ({ secrets }: SubmitDeps, change: Change): Inverse => {
  const inverse = change.state === 'applied' ? rebind(change, secrets).invert(change.before) : undefined
  if (inverse !== undefined) return inverse
  const reason =
    change.state === 'applied' ? `changes of kind ${change.kind} have no inverse` : `${change.id} is ${change.state}, not applied`
  throw new ServiceError('conflict', {
    detail: `${change.id} cannot be reverted: ${reason}`,
    hint: 'submit a change to the state that you want',
  })
}

export const revert = async (deps: SubmitDeps, requester: ChangeRequester, { id, requestedBy, reason }: Reversal): Promise<Submitted> => {
  const change = await readChange(deps, id)
  const { kind, after } = buildInverse(deps, change)
  const submission = { kind, agentGroupID: change.agentGroupID, after, requestedBy, reason: reason ?? `Reverts ${id}` }
  const { replayed: _replayed, ...submitted } = await submit(deps, requester, { submission, revertOf: id })
  return submitted
}
