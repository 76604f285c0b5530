// The person behind a principal. A token that a named admin creates belongs to that admin, who could otherwise be requester and
// approver at once.
import { exits, type Member, type Principal, ServiceError, type Token } from '@gatehouse/contracts'
import { type Clock, Refusal } from '@gatehouse/kernel'
import { hasRole } from '../state/roles.ts'
import type { Tokens, TokenUses } from '../state/tokens.ts'
import { isExpired, isUnnamed } from './authenticate.ts'

type Known = Pick<Tokens, 'named'>

export const getTokenPerson = ({ name, createdBy, person }: Pick<Token, 'name' | 'createdBy' | 'person'>): string =>
  person ?? (isUnnamed(createdBy) ? name : createdBy)

/** The person of a principal. One without a token (the admin token, a session, a revoked token) is its own person. */
export const findPerson = (tokens: Known, principal: string): string => {
  const known = tokens.named(principal)
  return known === undefined ? principal : getTokenPerson(known.token)
}

/** The person in stored form: absent if the principal is its own person. */
export const storedPerson = (tokens: Known, principal: string): { readonly person?: string } => {
  const person = findPerson(tokens, principal)
  return person === principal ? {} : { person }
}

/** The person behind a request or a decision. The stored person outlives its token. */
export const personBehind = (tokens: Known, { principal, person }: { principal: string; person?: string | undefined }): string =>
  person ?? findPerson(tokens, principal)

export interface IdentityDeps {
  readonly tokens: Pick<Tokens, 'all' | 'named'>
  readonly clock: Clock
}

/** Tokens with this identity, including expired ones. The spelling must match exactly. */
export const findHolders = (tokens: Pick<Tokens, 'all'>, { channel, user }: Member): Token[] =>
  tokens.all().filter(({ identities = [] }) => identities.some((one) => one.channel === channel && one.user === user))

export const toPrincipal = ({ name, role, groups }: Token): Principal => ({ name, role, ...(groups === undefined ? {} : { groups }) })

/** Tokens that have not expired. */
export const listValidTokens = ({ tokens, clock }: IdentityDeps): Token[] => tokens.all().filter((token) => !isExpired({ token }, clock))

/** The principal of a channel user: the only valid token that has it as an identity. Throws `forbidden`. */
export const identify = (deps: IdentityDeps & { readonly uses: Pick<TokenUses, 'note'> }, person: Member): Principal => {
  const named = findHolders({ all: () => listValidTokens(deps) }, person)
  const [token] = named
  if (token === undefined || named.length > 1) {
    throw new ServiceError('forbidden', {
      detail: `${person.channel} user ${JSON.stringify(person.user)} ${token === undefined ? 'is not an identity of any token' : 'is an identity of several tokens'}`,
      hint: 'an admin creates a token for this user: svcctl token create NAME --role approver --identity CHANNEL:USER',
    })
  }
  deps.uses.note(token.name, new Date(deps.clock()).toISOString())
  return toPrincipal(token)
}

export interface ApproverDeps {
  readonly boot: { readonly approvals: number; readonly adminToken: string | null; readonly restarted?: boolean | undefined }
  readonly tokens: Tokens
  readonly clock: Pick<Clock, 'isPast'>
}

/** The largest number of people who may approve the same change. A token that is limited to some groups counts only for those. */
const countApprovers = ({ boot, tokens, clock }: ApproverDeps): number => {
  const named = tokens.all().filter((token) => hasRole(token, 'approver') && !isExpired({ token }, clock))
  const everywhere = new Set(named.filter(({ groups }) => groups === undefined).map(getTokenPerson))
  const within = new Map<string, Set<string>>()
  for (const token of named)
    for (const group of token.groups ?? []) within.set(group, (within.get(group) ?? new Set()).add(getTokenPerson(token)))
  const more = [...within.values()].map((people) => [...people].filter((one) => !everywhere.has(one)).length)
  return everywhere.size + (boot.adminToken === null ? 0 : 1) + Math.max(0, ...more)
}

/** The reason why no change can be approved; undefined if there are enough approvers. */
export const missingApprovers = (deps: ApproverDeps): string | undefined => {
  const { approvals } = deps.boot
  const count = approvals === 1 ? 1 : countApprovers(deps)
  return count >= approvals
    ? undefined
    : `${approvals} approvals are required, but only ${count} ${count === 1 ? 'person' : 'people'} can approve the same change`
}

/** Throws a `Refusal`, except in a restarted process: a running unit continues and reports it as degraded. */
export const assertApprovers = (deps: ApproverDeps): void => {
  const detail = missingApprovers(deps)
  if (detail === undefined || deps.boot.restarted === true) return
  throw new Refusal(exits.configuration, {
    detail,
    hint: 'start with --approvals 1, create tokens with the role approver, then start with --approvals 2',
  })
}
