// Takes a change in: held for a human, or refused by the verifier. Never applies anything.
import { type Idempotency, Requester, type Submission, type SubmitOutcome } from '@gatehouse/contracts'
import { type Clock, sha256 } from '@gatehouse/kernel'
import { parse } from '../input/parse.ts'
import { askedByAgent } from '../registry/world.ts'
import { type CapsDeps, findStanding, wishOf } from './caps.ts'
import { compose, type ComposeDeps, type Origin, outcomeOf } from './compose.ts'
import { type Asked, type Asker, examine, type ExamineDeps } from './examine.ts'
import { changeLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { findAttempt, type RepeatDeps } from './repeat.ts'

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
    ...(askedByAgent(asked.world) ? { wish: wishOf(asked.bound) } : {}),
  }
  const stage = change.state === 'refused' ? 'refuse' : 'submit'
  await deps.ledger.commit([changeLine(stage, { actor: { edge, principal, by }, change }, detail)])
  return { ...outcomeOf(change), replayed: false }
}

/** One request of a group's agents at a time: two that are the same become one. No group has a space in its id. */
const keepOfAgent = (deps: SubmitDeps, taken: Taken, asked: Asked): Promise<SubmitOutcome> => {
  const { agentGroupID } = asked.world
  return deps.lock(`requests of ${agentGroupID}`, async () => {
    const standing = await findStanding(deps, { bound: asked.bound, agentGroupID, failure: asked.failure })
    return standing === undefined ? keep(deps, taken, asked) : { ...outcomeOf(standing), replayed: true }
  })
}

const take = async (deps: SubmitDeps, taken: Taken): Promise<SubmitOutcome> => {
  const asked = await examine(deps, taken.asker, taken.request.submission)
  return askedByAgent(asked.world) ? keepOfAgent(deps, taken, asked) : keep(deps, taken, asked)
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
