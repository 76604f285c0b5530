// A unit that asks for two approvals must have two who can give them.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { hasRole } from './role.ts'
import { isExpired } from './resolve.ts'
import type { Tokens } from './tokens.ts'

export interface ApproverDeps {
  readonly boot: { readonly approvals: number; readonly adminToken: string | null; readonly restarted?: boolean | undefined }
  readonly tokens: Tokens
  readonly clock: () => number
}

/** Why no change can be approved; undefined where there are enough. */
export const lackOfApprovers = ({ boot, tokens, clock }: ApproverDeps): string | undefined => {
  const now = clock()
  const named = tokens.all().filter((token) => hasRole(token, 'approver') && !isExpired({ token }, now)).length
  const able = named + (boot.adminToken === null ? 0 : 1)
  if (able >= boot.approvals || boot.approvals === 1) return undefined
  return `expected ${boot.approvals} principals that may approve, got ${able}`
}

/** Throws a `Refusal`, but for a process that comes back: its unit goes on, and its health says what is missing. */
export const assertApprovers = (deps: ApproverDeps): void => {
  const detail = lackOfApprovers(deps)
  if (detail === undefined || deps.boot.restarted === true) return
  throw new Refusal(exits.configuration, {
    detail,
    hint: 'start with --approvals 1, make tokens with the role approver, then start with --approvals 2',
  })
}
