// Who may approve a change, and which approvals still count. The people behind principals are compared, never their labels.
import { type Change, type Decision, kinds, ServiceError } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import { isExpired, isUnnamed } from '../auth/authenticate.ts'
import { personBehind } from '../auth/persons.ts'
import type { Actor } from '../state/change-records.ts'
import type { Tokens } from '../state/tokens.ts'

/**
 * With one approval the admin token may approve its own request, for it may stand alone; and a named token may where power
 * is only taken away. With two approvals nobody may.
 * @param needed people that must approve
 */
const ownAllowed = ({ principal, kind }: Pick<Change, 'principal' | 'kind'>, needed: number): boolean =>
  needed === 1 && (isUnnamed(principal) || kinds[kind].narrowing)

interface Approval {
  readonly change: Change
  readonly principal: string
  /** Behind the principal. */
  readonly person: string
  /** Behind the request. */
  readonly requester: string
}

const through = (person: string, principal: string): string => (person === principal ? principal : `${principal}, a token of ${person}`)

export const assertMayApprove = ({ change, principal, person, requester }: Approval, needed: number): void => {
  if (person !== requester || ownAllowed(change, needed)) return
  throw new ServiceError('self-approval', {
    detail: `${change.id} was requested by ${through(requester, change.principal)}, and ${through(person, principal)} is the same person`,
    hint: 'let somebody else decide: a token that an admin created counts as that admin',
  })
}

/** @param given people whose approval stands */
export const assertNotAlreadyApproved = ({ change, principal, person }: Omit<Approval, 'requester'>, given: ReadonlySet<string>): void => {
  if (!given.has(person)) return
  throw new ServiceError('conflict', {
    detail: `${through(person, principal)} has approved ${change.id} already: it needs another person`,
    hint: 'let somebody else approve it too',
  })
}

/** Nobody decides what is of high risk from a channel: its service could be made to say anything. */
export const assertChannelMayDecide = ({ via }: Actor, { id, risk }: Pick<Change, 'id' | 'risk'>): void => {
  if (via === undefined || risk !== 'high') return
  throw new ServiceError('forbidden', {
    detail: `${id} is of high risk: expected a decision in the console or by svcctl, got one by ${via.channel}`,
    hint: `svcctl change show ${id}`,
  })
}

/** People whose approval is of the change as it is. */
export const approversOf = ({ decisions, digest }: Pick<Change, 'decisions' | 'digest'>): ReadonlySet<string> =>
  new Set(
    decisions
      .filter((decision) => decision.outcome === 'approve' && decision.digest === digest)
      .map(({ principal, person = principal }) => person),
  )

/** As the line of the last approval says; from the decisions alone where there is none. */
export const withApproval = (
  change: Change,
  { needed = change.approvals.needed, given = approversOf(change).size }: { needed?: number | undefined; given?: number | undefined } = {},
): Change => ({ ...change, approvals: { needed, given } })

/** An end that people chose takes the place of an earlier failure. */
export const withoutFailure = ({ failure: _over, ...change }: Change): Change => change

export const rejectedBy = (change: Change, decision: Decision): Change => ({
  ...withoutFailure(change),
  state: 'rejected',
  decisions: [...change.decisions, decision],
})

export const includes = ({ decisions }: Change, { principal, at, outcome, digest }: Decision): boolean =>
  decisions.some(
    (decision) => decision.principal === principal && decision.at === at && decision.outcome === outcome && decision.digest === digest,
  )

/** Whose approvals of a change count now. A token that was revoked or has expired takes its approvals along, and nobody
 * approves their own request through a token that they created. */
export interface ApprovalDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly clock: Pick<Clock, 'isPast'>
  readonly boot: { readonly approvals: number }
}

/** Another token under the same name is another principal: it decided nothing before it was made. */
const isValid = ({ tokens, clock }: ApprovalDeps, { principal, at }: Decision): boolean => {
  if (isUnnamed(principal)) return true
  const known = tokens.named(principal)
  return known !== undefined && known.token.createdAt <= at && !isExpired(known, clock)
}

/** The people whose approval of the change as it is stands. */
export const validApprovers = (
  deps: ApprovalDeps,
  change: Pick<Change, 'decisions' | 'digest' | 'principal' | 'person' | 'kind'>,
): ReadonlySet<string> => {
  const requester = personBehind(deps.tokens, change)
  const mayCount = (person: string): boolean => person !== requester || ownAllowed(change, deps.boot.approvals)
  const decisions = change.decisions
    .filter((decision) => isValid(deps, decision))
    .map((decision) => ({ ...decision, person: personBehind(deps.tokens, decision) }))
    .filter(({ person }) => mayCount(person))
  return approversOf({ decisions, digest: change.digest })
}
