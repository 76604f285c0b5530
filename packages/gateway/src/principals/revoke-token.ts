// Ends a token, whether the journal can be written or not.
import { ServiceError } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import type { Audience } from '../events/audience.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Kept, keptOf } from '../ledger/owed.ts'
import type { Tokens } from './tokens.ts'
import type { Uses } from './uses.ts'

export interface RevokeTokenDeps {
  readonly tokens: Tokens
  readonly uses: Uses
  readonly ledger: Ledger
  readonly audience: Audience
}

/** Waits for nobody. Who presents it from now on is unknown; what is open on it is told to end. */
export const revokeToken = async ({ tokens, uses, ledger, audience }: RevokeTokenDeps, actor: Actor, name: string): Promise<Kept> => {
  const known = tokens.named(name)
  if (known === undefined) throw new ServiceError('not-found', { detail: `there is no token named ${name}`, hint: 'list the tokens' })
  tokens.revoke(known)
  uses.forget(name)
  audience.controlPlane('token-revoked', { token: known.digest })
  const detail = { name, digest: known.digest }
  return keptOf(await ledger.commitLate([{ stage: 'token-revoke', edge: actor.edge, principal: actor.principal, detail }]))
}
