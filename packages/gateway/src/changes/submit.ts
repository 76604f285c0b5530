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
import { askedByAgent } from '../state/unit-config.ts'
import { type CapsDeps, findDuplicate, requestKeyOf } from './agent-quota.ts'
import { type Asked, type Asker, compose, type ComposeDeps, examine, type ExamineDeps, type Origin, outcomeOf } from './examine.ts'
import { findAttempt, type RepeatDeps } from './idempotency.ts'

export interface SubmitDeps extends ExamineDeps, ComposeDeps, CapsDeps, RepeatDeps {
  readonly boot: ExamineDeps['boot'] & ComposeDeps['boot']
  readonly lock: Lock
  readonly clock: Clock
}

export interface Request extends Origin {
  readonly submission: Submission
  readonly idempotency?: Idempotency | undefined
}

interface Taken {
  readonly asker: Asker
  readonly request: Request
}

const keep = async (deps: SubmitDeps, { asker, request }: Taken, asked: Asked): Promise<SubmitOutcome> => {
  const change = compose(deps, { asker, origin: request }, asked)
  const { edge, principal, by } = asker
  const detail = {
    change,
    ...(request.idempotency === undefined ? {} : { idempotency: request.idempotency }),
    ...(askedByAgent(asked.context) ? { wish: requestKeyOf(asked.bound) } : {}),
  }
  const stage = change.state === 'refused' ? 'refuse' : 'submit'
  await deps.ledger.commit([changeLine(stage, { actor: { edge, principal, by }, change }, detail)])
  return { ...outcomeOf(change), replayed: false }
}

/** One request of a group's agents at a time: two that are the same become one. No group has a space in its id. */
const keepOfAgent = (deps: SubmitDeps, taken: Taken, asked: Asked): Promise<SubmitOutcome> => {
  const { agentGroupID } = asked.context
  return deps.lock(`requests of ${agentGroupID}`, async () => {
    const standing = await findDuplicate(deps, { bound: asked.bound, agentGroupID, failure: asked.failure })
    return standing === undefined ? keep(deps, taken, asked) : { ...outcomeOf(standing), replayed: true }
  })
}

const take = async (deps: SubmitDeps, taken: Taken): Promise<SubmitOutcome> => {
  const asked = await examine(deps, taken.asker, taken.request.submission)
  return askedByAgent(asked.context) ? keepOfAgent(deps, taken, asked) : keep(deps, taken, asked)
}

/** A body may hold values that nobody may guess from the journal. */
const keyed = ({ secrets }: SubmitDeps, { idempotency }: Request): Idempotency | undefined =>
  idempotency && { ...idempotency, body: sha256(secrets.hmac(`body ${idempotency.body}`)) }

/** Under an idempotency key the second attempt waits for the first, and answers as it did. */
export const submit = async (deps: SubmitDeps, given: Asker, request: Request): Promise<SubmitOutcome> => {
  const by = parse(Requester, request.submission.requestedBy ?? given.by, '/requestedBy')
  const idempotency = keyed(deps, request)
  const taken: Taken = { asker: { ...given, by }, request: { ...request, idempotency } }
  if (idempotency === undefined) return take(deps, taken)
  const { principal } = given
  return deps.lock(`attempt ${JSON.stringify([principal, idempotency.route, idempotency.key])}`, async () => {
    await deps.ledger.settle()
    return (await findAttempt(deps, principal, idempotency)) ?? take(deps, taken)
  })
}

/** With its kind and `after`, by which secrets are masked. */
export interface Previewed extends Preview, Pick<Change, 'kind' | 'after'> {}

export const preview = async (deps: ExamineDeps, given: Asker, submission: Submission): Promise<Previewed> => {
  parse(Requester, submission.requestedBy ?? given.by, '/requestedBy')
  const { bound, draft, failure } = await examine(deps, given, submission)
  const { digest, ...shown } = draft
  const verdict = failure === undefined ? { state: 'held' as const } : { state: 'refused' as const, failure }
  const told = kinds[bound.kind].secretive ? {} : { digest }
  return { kind: bound.kind, after: bound.after, ...shown, ...told, ...verdict }
}

/** Asks for the opposite of an applied change: a change like any other, held for a human. */
export interface Reversal {
  readonly id: ChangeID
  readonly requestedBy?: string | undefined
  readonly reason?: string | undefined
}

const inverseOf = ({ secrets }: SubmitDeps, change: Change): Inverse => {
  const inverse = change.state === 'applied' ? rebind(change, secrets).invert(change.before) : undefined
  if (inverse !== undefined) return inverse
  const reason =
    change.state === 'applied' ? `nothing undoes a change of kind ${change.kind}` : `${change.id} is ${change.state}, not applied`
  throw new ServiceError('conflict', {
    detail: `${change.id} cannot be reverted: ${reason}`,
    hint: 'submit the change that leads to the state you want',
  })
}

export const revert = async (deps: SubmitDeps, asker: Asker, { id, requestedBy, reason }: Reversal): Promise<Submitted> => {
  const change = await readChange(deps, id)
  const { kind, after } = inverseOf(deps, change)
  const submission = { kind, agentGroupID: change.agentGroupID, after, requestedBy, reason: reason ?? `Reverts ${id}` }
  const { replayed: _never, ...submitted } = await submit(deps, asker, { submission, revertOf: id })
  return submitted
}
