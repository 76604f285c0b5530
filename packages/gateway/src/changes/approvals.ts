// Rules for who may approve a change and which approvals still count. They compare the people behind principals, never labels.
import { type Change, type Decision, kinds, ServiceError } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import { isExpired, isUnnamed } from '../auth/authenticate.ts'
import { personBehind } from '../auth/persons.ts'
import type { Actor } from '../state/change-records.ts'
import type { Tokens } from '../state/tokens.ts'

/**
 * With one required approval, the admin token may approve its own request, because it may be the only token, and a named token
 * may approve its own request that only removes access. With two required approvals, no one may.
 * @param needed number of people who must approve
 */
const ownAllowed = ({ principal, kind }: Pick<Change, 'principal' | 'kind'>, needed: number): boolean =>
  needed === 1 && (isUnnamed(principal) || kinds[kind].narrowing)

interface Approval {
  readonly change: Change
  readonly principal: string
  /** The person behind the principal. */
  readonly person: string
  /** The person behind the request. */
  readonly requester: string
}

const describePerson = (person: string, principal: string): string =>
  person === principal ? principal : `${principal}, a token of ${person}`

export const assertMayApprove = ({ change, principal, person, requester }: Approval, needed: number): void => {
  if (person !== requester || ownAllowed(change, needed)) return
  throw new ServiceError('self-approval', {
    detail: `${change.id} was requested by ${describePerson(requester, change.principal)}, and ${describePerson(person, principal)} is the same person`,
    hint: 'another person must approve it: a token that an admin created counts as that admin',
  })
}

/** @param given people whose approval counts */
export const assertNotAlreadyApproved = ({ change, principal, person }: Omit<Approval, 'requester'>, given: ReadonlySet<string>): void => {
  if (!given.has(person)) return
  throw new ServiceError('conflict', {
    detail: `${describePerson(person, principal)} has already approved ${change.id}: another person must approve it`,
    hint: 'ask another approver',
  })
}

/** High-risk changes cannot be decided from a channel, because its service could forge messages. */
export const assertChannelMayDecide = ({ via }: Actor, { id, risk }: Pick<Change, 'id' | 'risk'>): void => {
  if (via === undefined || risk !== 'high') return
  throw new ServiceError('forbidden', {
    detail: `${id} is high risk and cannot be decided from ${via.channel}: use the console or svcctl`,
    hint: `svcctl change show ${id}`,
  })
}

/** People who approved the current version of the change. */
export const listApprovers = ({ decisions, digest }: Pick<Change, 'decisions' | 'digest'>): ReadonlySet<string> =>
  new Set(
    decisions
      .filter((decision) => decision.outcome === 'approve' && decision.digest === digest)
      .map(({ principal, person = principal }) => person),
  )

/** Sets the number of approvals from the last approval record, or else from the decisions. */
export const withApproval = (
  change: Change,
  {
    needed = change.approvals.needed,
    given = listApprovers(change).size,
  }: { needed?: number | undefined; given?: number | undefined } = {},
): Change => ({ ...change, approvals: { needed, given } })

/** A decision replaces an earlier failure. */
export const withoutFailure = ({ failure: _failure, ...change }: Change): Change => change

export const rejectedBy = (change: Change, decision: Decision): Change => ({
  ...withoutFailure(change),
  state: 'rejected',
  decisions: [...change.decisions, decision],
})

export const includes = ({ decisions }: Change, { principal, at, outcome, digest }: Decision): boolean =>
  decisions.some(
    (decision) => decision.principal === principal && decision.at === at && decision.outcome === outcome && decision.digest === digest,
  )

export interface ApprovalDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly clock: Pick<Clock, 'isPast'>
  readonly boot: { readonly approvals: number }
}

/** A decision counts only while its token is valid. A newer token of the same name is another principal. */
const isValid = ({ tokens, clock }: ApprovalDeps, { principal, at }: Decision): boolean => {
  if (isUnnamed(principal)) return true
  const known = tokens.named(principal)
  return known !== undefined && known.token.createdAt <= at && !isExpired(known, clock)
}

/** The people whose approval of the current version counts now. No one approves their own request through a token they created. */
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
  return listApprovers({ decisions, digest: change.digest })
}
