// Whose approvals of a change count now. A token that was revoked or has expired takes its approvals along, and nobody
// approves their own request through a token that they created.
import type { Change, Decision } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import { personBehind } from '../principals/person.ts'
import { isExpired, isUnnamed } from '../principals/resolve.ts'
import type { Tokens } from '../principals/tokens.ts'
import { ownAllowed } from './rights.ts'
import { approversOf } from './tally.ts'

export interface StandingDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly clock: Pick<Clock, 'isPast'>
  readonly boot: { readonly approvals: number }
}

/** Another token under the same name is another principal: it decided nothing before it was made. */
const isValid = ({ tokens, clock }: StandingDeps, { principal, at }: Decision): boolean => {
  if (isUnnamed(principal)) return true
  const known = tokens.named(principal)
  return known !== undefined && known.token.createdAt <= at && !isExpired(known, clock)
}

/** The people whose approval of the change as it is stands. */
export const standingApprovers = (
  deps: StandingDeps,
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
