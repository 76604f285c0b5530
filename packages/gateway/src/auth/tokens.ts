// Creates, lists and revokes named tokens. The text of a token is returned once and stored nowhere.
import { randomBytes } from 'node:crypto'
import { clientRole, limits, type MintedToken, NewToken, ServiceError, type Token } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { type Clock, sha256 } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { invalid, parse } from '../input.ts'
import { type Durability, getDurability, isJournaled } from '../ledger/append.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Actor } from '../state/change-records.ts'
import { endClientSession, type EndClientDeps } from '../state/sessions.ts'
import type { Lock } from '../state/lock.ts'
import type { Tokens, TokenUses } from '../state/tokens.ts'
import { readGroup } from '../state/unit-config.ts'
import { isUnnamed } from './authenticate.ts'
import { findHolders } from './persons.ts'

export interface TokenDeps {
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly ledger: Ledger
  readonly lock: Lock
  readonly clock: Clock
  readonly boot: { readonly mcpEndpoint?: boolean | undefined }
  readonly store: Pick<Store, 'read'>
}

/** Not a group id, because it contains a space. */
const tokenLock = 'the tokens'

const mint = (): string => `gatehouse_${randomBytes(32).toString('base64url')}`

/** A person has at most one principal. Otherwise the person could approve their own request, or approve twice. */
const assertIdentitiesFree = ({ tokens }: TokenDeps, { identities = [] }: NewToken): void => {
  for (const { channel, user } of identities) {
    const [owner] = findHolders(tokens, { channel, user })
    if (owner === undefined) continue
    throw new ServiceError('conflict', {
      detail: `${channel} user ${JSON.stringify(user)} is already an identity of the token ${owner.name}`,
      hint: `revoke ${owner.name} first, or leave the identity out`,
    })
  }
}

const assertAvailable = ({ tokens }: TokenDeps, newToken: NewToken): void => {
  if (tokens.named(newToken.name) !== undefined) {
    throw new ServiceError('conflict', {
      detail: `a token named ${newToken.name} already exists`,
      hint: 'revoke it first, or choose another name',
    })
  }
  if (tokens.all().length >= limits.tokens) {
    throw new ServiceError('conflict', {
      detail: `the unit already has the maximum of ${limits.tokens} tokens`,
      hint: 'revoke unused tokens',
    })
  }
}

/** A token that a named admin creates belongs to that admin. One that the admin token creates is a person of its own. */
const creatorsPerson = ({ principal, person = principal }: Actor): Pick<Token, 'person'> => (isUnnamed(principal) ? {} : { person })

const invalidClient = (pointer: string, detail: string): ServiceError => invalid([{ pointer, detail }])

/** The token of a client is for one external group and must expire. */
const assertClient = async ({ boot, store }: TokenDeps, { role, groups = [], identities, expiresAt }: NewToken): Promise<void> => {
  if (role !== clientRole) return
  if (boot.mcpEndpoint !== true) throw invalidClient('/role', 'clients are not supported: the unit was started without --mcp-endpoint')
  const [group] = groups
  if (group === undefined || groups.length > 1) throw invalidClient('/groups', 'a client token needs exactly one agent group')
  if (identities !== undefined) throw invalidClient('/identities', 'a client token cannot have channel identities')
  if (expiresAt === undefined) throw invalidClient('/expiresAt', 'a client token needs an expiry time')
  if ((await readGroup(store.read, group))?.agent !== 'external') throw invalidClient('/groups/0', `the agent of ${group} is not external`)
}

/** Refuses an actor whose token was revoked while the request waited. */
const assertNotRevoked = ({ tokens }: TokenDeps, { principal }: Actor): void => {
  if (!isUnnamed(principal) && tokens.named(principal) === undefined) throw new ServiceError('unauthorized')
}

export const createToken = async (deps: TokenDeps, actor: Actor, input: NewToken): Promise<MintedToken> => {
  const newToken = parse(NewToken, input, '')
  return deps.lock(tokenLock, async () => {
    const now = deps.clock()
    if (newToken.expiresAt !== undefined && deps.clock.isPast(Date.parse(newToken.expiresAt))) {
      throw invalid([{ pointer: '/expiresAt', detail: 'must be in the future' }])
    }
    assertNotRevoked(deps, actor)
    assertAvailable(deps, newToken)
    assertIdentitiesFree(deps, newToken)
    await assertClient(deps, newToken)
    const text = mint()
    const token: Token = {
      ...newToken,
      createdAt: new Date(now).toISOString(),
      createdBy: actor.principal,
      ...creatorsPerson(actor),
    }
    const digest = sha256(text)
    const line: JournalInput = { stage: 'token-create', edge: actor.edge, principal: actor.principal, detail: { token, digest } }
    await deps.ledger.commit([line]).catch((error: unknown) => {
      // Its text is lost, but the token must be known so that it can be revoked.
      if (isJournaled(error)) deps.tokens.add({ token, digest })
      throw error
    })
    deps.uses.forget(token.name)
    deps.tokens.add({ token, digest })
    return { ...token, token: text }
  })
}

/** The named tokens with their last use, without their secret text. */
export const listTokens = ({ tokens, uses }: { tokens: Tokens; uses: TokenUses }): { items: Token[] } => ({
  items: tokens.all().map((token) => {
    const lastUsedAt = uses.of(token.name)
    return lastUsedAt === undefined ? token : { ...token, lastUsedAt }
  }),
})

export interface RevokeTokenDeps extends EndClientDeps {
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly ledger: Ledger
}

/** Revokes a token immediately, even if the journal cannot be written, and closes the connections that use it. */
export const revokeToken = async (deps: RevokeTokenDeps, actor: Actor, name: string): Promise<Durability> => {
  const { tokens, uses, ledger, subscribers } = deps
  const known = tokens.named(name)
  if (known === undefined) throw new ServiceError('not-found', { detail: `no token named ${name}`, hint: 'list the tokens' })
  tokens.revoke(known)
  uses.forget(name)
  endClientSession(deps, known.token)
  subscribers.controlPlane('token-revoked', { token: known.digest })
  const detail = { name, digest: known.digest }
  return getDurability(await ledger.commitLate([{ stage: 'token-revoke', edge: actor.edge, principal: actor.principal, detail }]))
}
