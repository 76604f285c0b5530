// Creates, lists and revokes named tokens. The text of a token is returned once and stored nowhere.
import { randomBytes } from 'node:crypto'
import { clientRole, limits, type MintedToken, NewToken, ServiceError, type Token } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { type Clock, sha256 } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { invalid, parse } from '../input.ts'
import { type Kept, keptOf, stands } from '../ledger/append.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Actor } from '../state/change-records.ts'
import { endClientSession, type EndClientDeps } from '../state/clients.ts'
import type { Lock } from '../state/lock.ts'
import type { Tokens, TokenUses } from '../state/tokens.ts'
import { readGroup } from '../state/unit-config.ts'
import { isUnnamed } from './authenticate.ts'
import { holders } from './persons.ts'

export interface TokenDeps {
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly ledger: Ledger
  readonly lock: Lock
  readonly clock: Clock
  readonly boot: { readonly mcpEndpoint?: boolean | undefined }
  readonly store: Pick<Store, 'read'>
}

/** No group has a space in its id. */
const tokenLock = 'the tokens'

const mint = (): string => `gatehouse_${randomBytes(32).toString('base64url')}`

/** One person is one principal: else it could approve what it asked for, or approve twice. */
const assertNobodyElse = ({ tokens }: TokenDeps, { identities = [] }: NewToken): void => {
  for (const { channel, user } of identities) {
    const [owner] = holders(tokens, { channel, user })
    if (owner === undefined) continue
    throw new ServiceError('conflict', {
      detail: `expected people who are nobody's yet, got ${channel} ${JSON.stringify(user)}, who is one of the identities of ${owner.name}`,
      hint: `revoke ${owner.name} first, or leave the person out`,
    })
  }
}

const assertRoom = ({ tokens }: TokenDeps, wanted: NewToken): void => {
  if (tokens.named(wanted.name) !== undefined) {
    throw new ServiceError('conflict', {
      detail: `there is a token named ${wanted.name}`,
      hint: 'revoke it first, or choose another name',
    })
  }
  if (tokens.all().length >= limits.tokens) {
    throw new ServiceError('conflict', { detail: `expected at most ${limits.tokens} tokens`, hint: 'revoke those that nobody uses' })
  }
}

/** What a named admin creates is its own; what the unit's admin token creates is a person of its own. */
const creatorsPerson = ({ principal, person = principal }: Actor): Pick<Token, 'person'> => (isUnnamed(principal) ? {} : { person })

const invalidClient = (pointer: string, detail: string): ServiceError => invalid([{ pointer, detail }])

/** A client is let into one external group, for a time. */
const assertClient = async ({ boot, store }: TokenDeps, { role, groups = [], identities, expiresAt }: NewToken): Promise<void> => {
  if (role !== clientRole) return
  if (boot.mcpEndpoint !== true)
    throw invalidClient('/role', 'expected another role: clients are not served, since the unit was started without --mcp-endpoint')
  const [group] = groups
  if (group === undefined || groups.length > 1) throw invalidClient('/groups', 'expected one agent group for the role client')
  if (identities !== undefined) throw invalidClient('/identities', 'expected no people of channels for the role client')
  if (expiresAt === undefined) throw invalidClient('/expiresAt', 'expected a time at which the token of a client expires')
  if ((await readGroup(store.read, group))?.agent !== 'external')
    throw invalidClient('/groups/0', `expected an agent group whose agent is external, got ${group}`)
}

/** A token that was revoked while its request waited creates nothing. */
const assertStands = ({ tokens }: TokenDeps, { principal }: Actor): void => {
  if (!isUnnamed(principal) && tokens.named(principal) === undefined) throw new ServiceError('unauthorized')
}

export const createToken = async (deps: TokenDeps, actor: Actor, given: NewToken): Promise<MintedToken> => {
  const wanted = parse(NewToken, given, '')
  return deps.lock(tokenLock, async () => {
    const now = deps.clock()
    if (wanted.expiresAt !== undefined && deps.clock.isPast(Date.parse(wanted.expiresAt))) {
      throw invalid([{ pointer: '/expiresAt', detail: 'expected a time to come' }])
    }
    assertStands(deps, actor)
    assertRoom(deps, wanted)
    assertNobodyElse(deps, wanted)
    await assertClient(deps, wanted)
    const text = mint()
    const token: Token = {
      ...wanted,
      createdAt: new Date(now).toISOString(),
      createdBy: actor.principal,
      ...creatorsPerson(actor),
    }
    const digest = sha256(text)
    const line: JournalInput = { stage: 'token-create', edge: actor.edge, principal: actor.principal, detail: { token, digest } }
    await deps.ledger.commit([line]).catch((error: unknown) => {
      // Nobody has its text, but it must be known to be revoked.
      if (stands(error)) deps.tokens.add({ token, digest })
      throw error
    })
    deps.uses.forget(token.name)
    deps.tokens.add({ token, digest })
    return { ...token, token: text }
  })
}

/** The named tokens as people see them: whose they are and when they were last used, never what they are. */
export const listTokens = ({ tokens, uses }: { tokens: Tokens; uses: TokenUses }): { items: Token[] } => ({
  items: tokens.all().map((token) => {
    const lastUsedAt = uses.of(token.name)
    return lastUsedAt === undefined ? token : { ...token, lastUsedAt }
  }),
})

/** Ends a token, whether the journal can be written or not. */
export interface RevokeTokenDeps extends EndClientDeps {
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly ledger: Ledger
}

/** Waits for nobody. Who presents it from now on is unknown; what is open on it is told to end. */
export const revokeToken = async (deps: RevokeTokenDeps, actor: Actor, name: string): Promise<Kept> => {
  const { tokens, uses, ledger, subscribers } = deps
  const known = tokens.named(name)
  if (known === undefined) throw new ServiceError('not-found', { detail: `there is no token named ${name}`, hint: 'list the tokens' })
  tokens.revoke(known)
  uses.forget(name)
  endClientSession(deps, known.token)
  subscribers.controlPlane('token-revoked', { token: known.digest })
  const detail = { name, digest: known.digest }
  return keptOf(await ledger.commitLate([{ stage: 'token-revoke', edge: actor.edge, principal: actor.principal, detail }]))
}
