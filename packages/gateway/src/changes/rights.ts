// Who may approve a change: the people behind principals are compared, never the labels that they give.
import { type Change, ServiceError } from '@gatehouse/contracts'
import { kindTable } from '../kinds/index.ts'
import { isUnnamed } from '../principals/resolve.ts'
import type { Actor } from './lines.ts'

/**
 * With one approval the admin token may approve its own request, for it may stand alone; and a named token may where power
 * is only taken away. With two approvals nobody may.
 * @param needed people that must approve
 */
export const ownAllowed = ({ principal, kind }: Pick<Change, 'principal' | 'kind'>, needed: number): boolean =>
  needed === 1 && (isUnnamed(principal) || kindTable[kind].narrowing)

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
export const assertNotTwice = ({ change, principal, person }: Omit<Approval, 'requester'>, given: ReadonlySet<string>): void => {
  if (!given.has(person)) return
  throw new ServiceError('conflict', {
    detail: `${through(person, principal)} has approved ${change.id} already: it needs another person`,
    hint: 'let somebody else approve it too',
  })
}

/** Nobody decides what is of high risk from a channel: its service could be made to say anything. */
export const assertNotByHand = ({ via }: Actor, { id, risk }: Pick<Change, 'id' | 'risk'>): void => {
  if (via === undefined || risk !== 'high') return
  throw new ServiceError('forbidden', {
    detail: `${id} is of high risk: expected a decision in the console or by svcctl, got one by ${via.channel}`,
    hint: `svcctl change show ${id}`,
  })
}
