// A unit that asks for two approvals must have two who can give them.
import { exits } from '@gatehouse/contracts'
import { type Clock, Refusal } from '@gatehouse/kernel'
import { personOfToken } from './person.ts'
import { hasRole } from './role.ts'
import { isExpired } from './resolve.ts'
import type { Tokens } from './tokens.ts'

export interface ApproverDeps {
  readonly boot: { readonly approvals: number; readonly adminToken: string | null; readonly restarted?: boolean | undefined }
  readonly tokens: Tokens
  readonly clock: Pick<Clock, 'isPast'>
}

/** How many people may approve one and the same change, at most: who is bound to some groups counts within them alone. */
const countAble = ({ boot, tokens, clock }: ApproverDeps): number => {
  const named = tokens.all().filter((token) => hasRole(token, 'approver') && !isExpired({ token }, clock))
  const everywhere = new Set(named.filter(({ groups }) => groups === undefined).map(personOfToken))
  const within = new Map<string, Set<string>>()
  for (const token of named)
    for (const group of token.groups ?? []) within.set(group, (within.get(group) ?? new Set()).add(personOfToken(token)))
  const more = [...within.values()].map((people) => [...people].filter((one) => !everywhere.has(one)).length)
  return everywhere.size + (boot.adminToken === null ? 0 : 1) + Math.max(0, ...more)
}

/** Why no change can be approved; undefined where there are enough. */
export const lackOfApprovers = (deps: ApproverDeps): string | undefined => {
  const { approvals } = deps.boot
  const able = approvals === 1 ? 1 : countAble(deps)
  return able >= approvals ? undefined : `expected ${approvals} people that may approve the same change, got ${able}`
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
