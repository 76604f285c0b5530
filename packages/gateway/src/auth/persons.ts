// The person behind a principal. A token that a named admin creates belongs to that admin, who could otherwise be requester and
// approver at once.
import { exits, type Member, type Principal, ServiceError, type Token } from '@gatehouse/contracts'
import { type Clock, Refusal } from '@gatehouse/kernel'
import { hasRole } from '../state/roles.ts'
import type { Tokens, TokenUses } from '../state/tokens.ts'
import { isExpired, isUnnamed } from './authenticate.ts'

type Known = Pick<Tokens, 'named'>

export const personOfToken = ({ name, createdBy, person }: Pick<Token, 'name' | 'createdBy' | 'person'>): string =>
  person ?? (isUnnamed(createdBy) ? name : createdBy)

/** A principal without a token is a person of its own: the admin token, an agent's session, a token that is gone. */
export const personOf = (tokens: Known, principal: string): string => {
  const known = tokens.named(principal)
  return known === undefined ? principal : personOfToken(known.token)
}

/** As it is stored: absent where the principal is its own person. */
export const storedPerson = (tokens: Known, principal: string): { readonly person?: string } => {
  const person = personOf(tokens, principal)
  return person === principal ? {} : { person }
}

/** Of a request or a decision. What was stored with it outlives its token. */
export const personBehind = (tokens: Known, { principal, person }: { principal: string; person?: string | undefined }): string =>
  person ?? personOf(tokens, principal)

/** Who a person of a channel is here: the one token that names it among its identities, and nobody else. */
export interface IdentityDeps {
  readonly tokens: Pick<Tokens, 'all' | 'named'>
  readonly clock: Clock
}

/** Also those whose time is over. The channel's own spelling counts, to the letter. */
export const holders = (tokens: Pick<Tokens, 'all'>, { channel, user }: Member): Token[] =>
  tokens.all().filter(({ identities = [] }) => identities.some((one) => one.channel === channel && one.user === user))

export const principalOf = ({ name, role, groups }: Token): Principal => ({ name, role, ...(groups === undefined ? {} : { groups }) })

/** Tokens that stand, by the people of a channel that they name. */
export const standing = ({ tokens, clock }: IdentityDeps): Token[] => tokens.all().filter((token) => !isExpired({ token }, clock))

/** Throws `forbidden`. */
export const identify = (deps: IdentityDeps & { readonly uses: Pick<TokenUses, 'note'> }, person: Member): Principal => {
  const named = holders({ all: () => standing(deps) }, person)
  const [token] = named
  if (token === undefined || named.length > 1) {
    throw new ServiceError('forbidden', {
      detail: `expected a person whom one token names among its identities, got ${person.channel} ${JSON.stringify(person.user)}, whom ${token === undefined ? 'none' : 'several'} names`,
      hint: 'an admin makes such a token: svcctl token create NAME --role approver --identity CHANNEL:USER',
    })
  }
  deps.uses.note(token.name, new Date(deps.clock()).toISOString())
  return principalOf(token)
}

/** A unit that asks for two approvals must have two who can give them. */
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
export const missingApprovers = (deps: ApproverDeps): string | undefined => {
  const { approvals } = deps.boot
  const able = approvals === 1 ? 1 : countAble(deps)
  return able >= approvals ? undefined : `expected ${approvals} people that may approve the same change, got ${able}`
}

/** Throws a `Refusal`, but for a process that comes back: its unit goes on, and its health says what is missing. */
export const assertApprovers = (deps: ApproverDeps): void => {
  const detail = missingApprovers(deps)
  if (detail === undefined || deps.boot.restarted === true) return
  throw new Refusal(exits.configuration, {
    detail,
    hint: 'start with --approvals 1, make tokens with the role approver, then start with --approvals 2',
  })
}
