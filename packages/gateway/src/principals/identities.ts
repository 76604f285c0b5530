// Who a person of a channel is here: the one token that names it among its identities, and nobody else.
import { type Member, type Principal, ServiceError, type Token } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import { isExpired } from './resolve.ts'
import type { Tokens } from './tokens.ts'
import type { Uses } from './uses.ts'

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
export const identify = (deps: IdentityDeps & { readonly uses: Pick<Uses, 'note'> }, person: Member): Principal => {
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
