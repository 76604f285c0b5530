// Takes a change in: held for a human, or refused by the verifier. Never applies anything.
import { AgentGroupID, type Change, type Kind, limits, Requester, ServiceError, Submission, type Submitted } from '@gatehouse/contracts'
import * as v from 'valibot'
import { want } from '../evidence/want.ts'
import type { Audience } from '../events/audience.ts'
import { invalid, parse } from '../input/parse.ts'
import { bind, readKind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { World } from '../registry/world.ts'
import type { ChangeIds } from './id.ts'
import type { Draft } from './draft.ts'
import { judge, type JudgeDeps, look } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'
import { verify } from './verify.ts'

export interface SubmitDeps extends JudgeDeps {
  readonly ledger: Ledger
  readonly ids: ChangeIds
  readonly audience: Audience
}

/** Who asks. `by` is the label under which the change is shown. */
export interface Asker extends Actor {
  readonly by: string
  /** The kinds that it may ask for; undefined for all. */
  readonly kinds?: readonly Kind[]
}

const assertMayAsk = (asker: Asker, kind: Kind): void => {
  if (asker.kinds === undefined || asker.kinds.includes(kind)) return
  throw new ServiceError('forbidden', {
    detail: `expected one of the kinds that an agent may ask for (${asker.kinds.join(', ')}), got ${kind}`,
    hint: 'ask a person to submit this change',
  })
}

const assertSize = (bound: Bound): void => {
  const size = Buffer.byteLength(JSON.stringify(bound.after))
  if (size > limits.after) throw new ServiceError('too-large', { detail: `expected at most ${limits.after} bytes of after, got ${size}` })
}

const unknownGroup = (): ServiceError =>
  new ServiceError('not-found', {
    detail: 'there is no agent group of this id',
    hint: 'list the groups, or make one by a change of kind agent_create',
  })

const readTarget = (id: string): AgentGroupID => {
  const result = v.safeParse(AgentGroupID, id)
  if (!result.success) throw unknownGroup()
  return result.output
}

const assertTarget = (bound: Bound, world: World): void => {
  if (bound.target === 'existing' && world.group === undefined) throw unknownGroup()
  if (bound.target === 'new' && bound.after['id'] !== world.agentGroupID) {
    throw invalid([{ pointer: '/agentGroupID', detail: 'expected the id of the new group, as in /after/id' }])
  }
}

const refusal = (change: Change): ServiceError =>
  new ServiceError('change-refused', {
    detail: change.failure?.reason,
    extra: { changeID: change.id, ...(change.failure === undefined ? {} : { rule: change.failure.rule }) },
  })

interface Asked {
  readonly bound: Bound
  readonly world: World
  readonly draft: Draft
  readonly reason: string | undefined
}

/** The change as it will be kept: `held`, or `refused` with the rule. */
const compose = (ids: ChangeIds, asker: Asker, { bound, world, draft, reason }: Asked): Change => {
  const verdict = verify({ bound, world, decisions: [] })
  const { id, at } = ids.next()
  return {
    id,
    kind: bound.kind,
    agentGroupID: world.agentGroupID,
    requestedBy: asker.by,
    principal: asker.principal,
    ...(reason === undefined ? {} : { reason }),
    after: bound.after,
    ...draft,
    createdAt: at,
    decisions: [],
    ...(verdict.outcome === 'refused' ? { state: 'refused', failure: verdict.failure } : { state: 'held' }),
  }
}

const examine = async (deps: SubmitDeps, asker: Asker, submission: Submission): Promise<Asked> => {
  const kind = readKind(submission.kind)
  assertMayAsk(asker, kind)
  const bound = bind(kind, submission.after)
  assertSize(bound)
  const reason = parse(Submission.entries.reason, submission.reason, '/reason')
  const target = readTarget(submission.agentGroupID)
  await deps.ledger.settle()
  const world = await look(deps, target)
  assertTarget(bound, world)
  const { draft } = await judge(deps, bound, world)
  if (draft === undefined) throw unknownGroup()
  return { bound, world, draft, reason }
}

export const submit = async (deps: SubmitDeps, asker: Asker, submission: Submission): Promise<Submitted> => {
  const by = parse(Requester, submission.requestedBy ?? asker.by, '/requestedBy')
  const asked = await examine(deps, asker, submission)
  const change = compose(deps.ids, { ...asker, by }, asked)
  const actor: Actor = { edge: asker.edge, principal: asker.principal, by }
  await deps.ledger.commit([changeLine(change.state === 'refused' ? 'refuse' : 'submit', { actor, change }, { change })])
  if (change.state === 'refused') throw refusal(change)
  want(deps.audience, asked.draft.evidence)
  return { id: change.id, state: change.state, digest: change.digest }
}
