// Who may approve a change: principals are compared, never the labels that they give.
import { type Change, ServiceError } from '@gatehouse/contracts'
import { kindTable } from '../kinds/index.ts'
import { isUnnamed } from '../principals/resolve.ts'
import type { Actor } from './lines.ts'

const ownAllowed = (change: Change, needed: number): boolean =>
  needed === 1 && (isUnnamed(change.principal) || kindTable[change.kind].narrowing)

/**
 * Nobody approves what it asked for. With one approval the admin token may, for it may stand alone; and a named token
 * may where only power is taken away. With two approvals nobody may.
 * @param needed principals that must approve
 */
export const assertMayApprove = (principal: string, change: Change, needed: number): void => {
  if (change.principal !== principal || ownAllowed(change, needed)) return
  throw new ServiceError('self-approval', {
    detail: `expected an approval by another principal than ${principal}, which asked for ${change.id}`,
    hint: 'let somebody else decide',
  })
}

/** @param given principals whose approval stands */
export const assertNotTwice = (principal: string, change: Change, given: ReadonlySet<string>): void => {
  if (!given.has(principal)) return
  throw new ServiceError('conflict', {
    detail: `${principal} has approved ${change.id} already: it waits for another principal`,
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
