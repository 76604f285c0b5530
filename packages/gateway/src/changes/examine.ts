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

/** The requester of a change. `by` is the label that is shown. */
export interface ChangeRequester extends Actor {
  readonly by: string
  /** The kinds that it may request; undefined for all. */
  readonly kinds?: readonly Kind[]
}

export interface Examined {
  readonly bound: Bound
  readonly context: ChangeContext
  readonly draft: Draft
  readonly reason: string | undefined
  /** The reason why the verifier refuses it, if it does. */
  readonly failure: Failure | undefined
}

const assertMayRequest = (requester: ChangeRequester, kind: Kind): void => {
  if (requester.kinds === undefined || requester.kinds.includes(kind)) return
  throw new ServiceError('forbidden', {
    detail: `an agent cannot request a change of kind ${kind} (allowed: ${requester.kinds.join(', ')})`,
    hint: 'ask a person to submit this change',
  })
}

const assertSize = (bound: Bound): void => {
  const size = Buffer.byteLength(JSON.stringify(bound.after))
  if (size > limits.after)
    throw new ServiceError('too-large', { detail: `after has ${size} bytes, more than the maximum of ${limits.after}` })
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

/** Parses and evaluates a submission. May wait for evidence. */
export const examine = async (deps: ExamineDeps, requester: ChangeRequester, submission: Submission): Promise<Examined> => {
  const kind = readKind(submission.kind)
  assertMayRequest(requester, kind)
  const bound = bind(kind, await spellMember(deps, submission.after, kindTable[kind].server), deps.secrets)
  assertSize(bound)
  const reason = parse(Submission.entries.reason, submission.reason, '/reason')
  const target = readTarget(submission.agentGroupID)
  await deps.ledger.settle()
  const initial = await loadContext(deps, target, requester.principal)
  assertTarget(bound, initial)
  const { draft, context, input } = await evaluate(deps, bound, initial)
  if (draft === undefined) throw unknownGroup()
  const verdict = verify({ bound, input, decisions: [] })
  return { bound, context, draft, reason, failure: verdict.outcome === 'refused' ? verdict.failure : undefined }
}

export interface ComposeDeps {
  readonly ids: ChangeIds
  readonly clock: Clock
  readonly boot: { readonly approvals: number; readonly changeTtl: number }
}

export interface Origin {
  readonly revertOf?: ChangeID | undefined
  readonly afterToolOutput?: boolean | undefined
}

const initialState = ({ boot, clock }: ComposeDeps, { failure }: Examined, at: string): Pick<Change, 'state' | 'failure' | 'expiresAt'> => {
  if (failure !== undefined) return { state: 'refused', failure }
  const end = Date.parse(at) + boot.changeTtl
  // Starts the monotonic countdown of its lifetime.
  clock.isPast(end)
  return { state: 'held', expiresAt: new Date(end).toISOString() }
}

/** Builds the change to be stored: `held`, or `refused` with the rule. */
export const compose = (
  deps: ComposeDeps,
  { requester, origin }: { requester: ChangeRequester; origin: Origin },
  examined: Examined,
): Change => {
  const { bound, context, draft, reason } = examined
  const { id, at } = deps.ids.next()
  return {
    id,
    kind: bound.kind,
    agentGroupID: context.agentGroupID,
    requestedBy: requester.by,
    principal: requester.principal,
    ...(requester.person === undefined ? {} : { person: requester.person }),
    ...(reason === undefined ? {} : { reason }),
    after: bound.after,
    ...draft,
    createdAt: at,
    approvals: { needed: deps.boot.approvals, given: 0 },
    decisions: [],
    ...initialState(deps, examined, at),
    ...(origin.revertOf === undefined ? {} : { revertOf: origin.revertOf }),
    ...(origin.afterToolOutput === undefined ? {} : { afterToolOutput: origin.afterToolOutput }),
  }
}

/** The answer to the requester. Throws `change-refused` if the verifier refused the change. */
export const getOutcome = (change: Change): Submitted => {
  if (change.state !== 'refused') return { id: change.id, state: change.state, digest: change.digest }
  throw new ServiceError('change-refused', {
    detail: change.failure?.reason,
    extra: { changeID: change.id, ...(change.failure === undefined ? {} : { rule: change.failure.rule }) },
  })
}
