// Authenticates the caller of each control-plane call by the digest of its token.
import { gatewayControlPlane, type Principal } from '@gatehouse/contracts'
import { storedPerson } from '../auth/persons.ts'
import type { Services } from '../compose.ts'
import type { Actor } from '../state/change-records.ts'
import type { Act } from '../state/roles.ts'

export interface Authenticated {
  readonly principal: Principal
  readonly actor: Actor
}

export type Authenticate = (token: string | null, act: Act) => Authenticated

/** Throws `unauthorized` or `forbidden`. The person is resolved now, because a token may be revoked while its request waits. */
export const createAuthenticate =
  ({ principals, tokens }: Pick<Services, 'principals' | 'tokens'>): Authenticate =>
  (token, act) => {
    const principal = principals.resolve(token, act)
    return { principal, actor: { edge: gatewayControlPlane.caller, principal: principal.name, ...storedPerson(tokens, principal.name) } }
  }
