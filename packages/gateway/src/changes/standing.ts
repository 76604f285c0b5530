// Whether who gave an approval is still there: a token that was revoked or is over takes its approvals along.
import type { Decision } from '@gatehouse/contracts'
import { isExpired, isUnnamed } from '../principals/resolve.ts'
import type { Tokens } from '../principals/tokens.ts'

export interface StandingDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly clock: () => number
}

/** Another token under the same name is another principal: it decided nothing before it was made. */
export const stands =
  ({ tokens, clock }: StandingDeps) =>
  ({ principal, at }: Decision): boolean => {
    if (isUnnamed(principal)) return true
    const known = tokens.named(principal)
    return known !== undefined && known.token.createdAt <= at && !isExpired(known, clock())
  }
