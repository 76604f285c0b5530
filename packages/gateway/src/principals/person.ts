// The person behind a principal. A token that a named admin creates is that admin's own: whoever can create tokens could
// otherwise be requester and approver at once. A token that the unit's own admin token creates is a person of its own.
import type { Token } from '@gatehouse/contracts'
import { isUnnamed } from './resolve.ts'
import type { Tokens } from './tokens.ts'

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
