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

/** How many may approve one and the same change, at most: who is bound to some groups counts within them alone. */
const countAble = ({ boot, tokens, clock }: ApproverDeps): number => {
  const now = clock()
  const named = tokens.all().filter((token) => hasRole(token, 'approver') && !isExpired({ token }, now))
  const together = new Map<string, number>()
  for (const { groups = [] } of named) for (const group of new Set(groups)) together.set(group, (together.get(group) ?? 0) + 1)
  const everywhere = named.filter(({ groups }) => groups === undefined).length + (boot.adminToken === null ? 0 : 1)
  return everywhere + Math.max(0, ...together.values())
}

/** Why no change can be approved; undefined where there are enough. */
export const lackOfApprovers = (deps: ApproverDeps): string | undefined => {
  const { approvals } = deps.boot
  const able = approvals === 1 ? 1 : countAble(deps)
  return able >= approvals ? undefined : `expected ${approvals} principals that may approve the same change, got ${able}`
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
