// Parses and evaluates a request, for submissions and previews alike, and composes the change.
import {
  AgentGroupID,
  type Change,
  type ChangeID,
  type Failure,
  type Kind,
  limits,
  ServiceError,
  Submission,
  type Submitted,
} from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import * as v from 'valibot'
import { invalid, parse } from '../input.ts'
import { bind, kindTable, readKind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { spellMember } from '../state/catalog.ts'
import type { ChangeIds } from '../state/change-ids.ts'
import type { Actor } from '../state/change-records.ts'
import { unknownGroup } from '../state/roles.ts'
import type { ChangeContext } from '../state/unit-config.ts'
import type { Draft } from './draft.ts'
import { evaluate, type EvaluateDeps, loadContext, verify } from './evaluate.ts'

export interface ExamineDeps extends EvaluateDeps {
  readonly ledger: Ledger
}

/** Who asks. `by` is the label under which the change is shown. */
export interface Asker extends Actor {
  readonly by: string
  /** The kinds that it may ask for; undefined for all. */
  readonly kinds?: readonly Kind[]
}

export interface Asked {
  readonly bound: Bound
  readonly context: ChangeContext
  readonly draft: Draft
  readonly reason: string | undefined
  /** Why the verifier refuses it. */
  readonly failure: Failure | undefined
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

const readTarget = (id: string): AgentGroupID => {
  const result = v.safeParse(AgentGroupID, id)
  if (!result.success) throw unknownGroup()
  return result.output
}

const assertTarget = (bound: Bound, context: ChangeContext): void => {
  if (bound.target === 'existing' && context.group === undefined) throw unknownGroup()
  if (bound.target === 'new' && bound.after['id'] !== context.agentGroupID) {
    throw invalid([{ pointer: '/agentGroupID', detail: 'expected the id of the new group, as in /after/id' }])
  }
}

/** May wait for a witness. */
export const examine = async (deps: ExamineDeps, asker: Asker, submission: Submission): Promise<Asked> => {
  const kind = readKind(submission.kind)
  assertMayAsk(asker, kind)
  const bound = bind(kind, await spellMember(deps, submission.after, kindTable[kind].server), deps.secrets)
  assertSize(bound)
  const reason = parse(Submission.entries.reason, submission.reason, '/reason')
  const target = readTarget(submission.agentGroupID)
  await deps.ledger.settle()
  const seen = await loadContext(deps, target, asker.principal)
  assertTarget(bound, seen)
  const { draft, context, input } = await evaluate(deps, bound, seen)
  if (draft === undefined) throw unknownGroup()
  const verdict = verify({ bound, input, decisions: [] })
  return { bound, context, draft, reason, failure: verdict.outcome === 'refused' ? verdict.failure : undefined }
}

/** A change as it is kept, and what its requester is told of it. */
export interface ComposeDeps {
  readonly ids: ChangeIds
  readonly clock: Clock
  readonly boot: { readonly approvals: number; readonly changeTtl: number }
}

export interface Origin {
  readonly revertOf?: ChangeID | undefined
  readonly afterToolOutput?: boolean | undefined
}

const standing = ({ boot, clock }: ComposeDeps, { failure }: Asked, at: string): Pick<Change, 'state' | 'failure' | 'expiresAt'> => {
  if (failure !== undefined) return { state: 'refused', failure }
  const end = Date.parse(at) + boot.changeTtl
  // The time that it has left is counted from now on.
  clock.isPast(end)
  return { state: 'held', expiresAt: new Date(end).toISOString() }
}

/** `held`, or `refused` with the rule. */
export const compose = (deps: ComposeDeps, { asker, origin }: { asker: Asker; origin: Origin }, asked: Asked): Change => {
  const { bound, context, draft, reason } = asked
  const { id, at } = deps.ids.next()
  return {
    id,
    kind: bound.kind,
    agentGroupID: context.agentGroupID,
    requestedBy: asker.by,
    principal: asker.principal,
    ...(asker.person === undefined ? {} : { person: asker.person }),
    ...(reason === undefined ? {} : { reason }),
    after: bound.after,
    ...draft,
    createdAt: at,
    approvals: { needed: deps.boot.approvals, given: 0 },
    decisions: [],
    ...standing(deps, asked, at),
    ...(origin.revertOf === undefined ? {} : { revertOf: origin.revertOf }),
    ...(origin.afterToolOutput === undefined ? {} : { afterToolOutput: origin.afterToolOutput }),
  }
}

/** Throws `change-refused` for one that the verifier refused. */
export const outcomeOf = (change: Change): Submitted => {
  if (change.state !== 'refused') return { id: change.id, state: change.state, digest: change.digest }
  throw new ServiceError('change-refused', {
    detail: change.failure?.reason,
    extra: { changeID: change.id, ...(change.failure === undefined ? {} : { rule: change.failure.rule }) },
  })
}
