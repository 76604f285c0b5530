// A unit that asks for two approvals must have two who can give them.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { hasRole } from './role.ts'
import { isExpired } from './resolve.ts'
import type { Tokens } from './tokens.ts'

export interface EnoughDeps {
  readonly boot: { readonly approvals: number; readonly adminToken: string | null }
  readonly tokens: Tokens
  readonly clock: () => number
}

/** Throws a `Refusal`. */
export const assertApprovers = ({ boot, tokens, clock }: EnoughDeps): void => {
  const now = clock()
  const named = tokens.all().filter((token) => hasRole(token, 'approver') && !isExpired({ token }, now)).length
  const able = named + (boot.adminToken === null ? 0 : 1)
  if (able >= boot.approvals || boot.approvals === 1) return
  throw new Refusal(exits.configuration, {
    detail: `expected ${boot.approvals} principals that may approve, got ${able}`,
    hint: 'start with --approvals 1, make tokens with the role approver, then start with --approvals 2',
  })
}
