// The way in for people: who asks is resolved from the token's digest, call by call.
import { gatewayControlPlane, type Principal } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import { storedPerson } from '../principals/person.ts'
import type { Act } from '../principals/role.ts'
import type { Rooms } from '../rooms.ts'

export interface Entered {
  readonly principal: Principal
  readonly actor: Actor
}

export type Enter = (token: string | null, act: Act) => Entered

/** Throws `unauthorized` or `forbidden`. The person is looked up now: a token may be revoked while its request waits. */
export const entrance =
  ({ principals, tokens }: Pick<Rooms, 'principals' | 'tokens'>): Enter =>
  (token, act) => {
    const principal = principals.resolve(token, act)
    return { principal, actor: { edge: gatewayControlPlane.caller, principal: principal.name, ...storedPerson(tokens, principal.name) } }
  }
