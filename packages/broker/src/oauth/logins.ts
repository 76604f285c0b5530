// The logins of all remote tool servers whose entries ask for one: begun, finished and ended by admins, kept in step with the catalog.
import { type brokerControlPlane, type CatalogEntry, limits, type ServerName, ServiceError } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import type { Handlers } from '@gatehouse/rpc'
import { startAuthorization } from '@modelcontextprotocol/client'
import { UpstreamFailure } from '../upstream/base/failure.ts'
import { obtainClient, type Redirect, toInformation } from './client.ts'
import { discover, readMetadata } from './discover.ts'
import { endLogin } from './end-login.ts'
import { type AuthEntry, bindingOf, type Login } from './login.ts'
import { OpenLogins } from './open-logins.ts'
import { chooseScopes, grantedScopes } from './scopes.ts'
import type { LoginServices } from './login-services.ts'
import { ServerLogin } from './server-login.ts'
import { exchangeCode, revokeToken } from './token-requests.ts'

interface Item {
  readonly name: ServerName
  readonly entry: CatalogEntry
}

export interface LoginsOptions extends LoginServices {
  /** Told when a login began or ended: connections are made anew. */
  readonly onChanged: (name: ServerName) => void
}

type LoginHandlers = Pick<Handlers<typeof brokerControlPlane>, 'beginLogin' | 'answerLogin' | 'finishLogin' | 'logout'>

export const asksForLogin = (entry: CatalogEntry): entry is AuthEntry => entry.transport === 'http' && entry.auth !== undefined

const failed = (error: unknown): unknown =>
  error instanceof UpstreamFailure ? new ServiceError('upstream-failed', { detail: error.message, cause: error }) : error

/** Those that a person can do something about; no other word of the answer is repeated. */
const knownRefusals: ReadonlySet<string> = new Set([
  'access_denied',
  'invalid_scope',
  'unauthorized_client',
  'server_error',
  'login_required',
])

const refusal = (error = ''): UpstreamFailure =>
  new UpstreamFailure('authorization', `the authorization server refused the login${knownRefusals.has(error) ? ` (${error})` : ''}`)

type Taken = NonNullable<ReturnType<OpenLogins['take']>>

export class Logins {
  readonly handlers: LoginHandlers
  readonly #options: LoginsOptions
  readonly #known = new Map<ServerName, ServerLogin>()
  readonly #open = new OpenLogins()

  constructor(options: LoginsOptions) {
    this.#options = options
    this.handlers = {
      beginLogin: ({ name, principal, ...redirect }) => this.#begin(name, principal, redirect),
      answerLogin: async ({ state, ...answer }) => ({ taken: this.#open.answer(state, answer) }),
      finishLogin: ({ id, principal }) => this.#finish(id, principal),
      logout: ({ name, principal }) => this.#logout(name, principal),
    }
  }

  /** The same for as long as the entry asks for the same. */
  of(name: ServerName, entry: AuthEntry): ServerLogin {
    const known = this.#known.get(name)
    if (known !== undefined && known.binding === bindingOf(entry)) return known
    const login = new ServerLogin(name, entry, this.#options)
    this.#known.set(name, login)
    return login
  }

  /** False for whoever asks for none. */
  needsLogin(name: string): boolean {
    return this.#known.get(name as ServerName)?.needsLogin === true
  }

  /** A login whose entry is gone, or is another one, ends. */
  async synchronize(catalog: readonly Item[]): Promise<void> {
    const entries = new Map(catalog.flatMap(({ name, entry }) => (asksForLogin(entry) ? [[name, entry] as const] : [])))
    for (const name of this.#known.keys()) {
      if (entries.has(name)) continue
      this.#known.delete(name)
      this.#options.metrics.gauge('broker_upstream_needs_login').remove({ server: name })
    }
    const current = [...entries].map(([name, entry]) => this.of(name, entry))
    for (const name of this.#options.store.names()) {
      const kept = current.find((login) => login.name === name)
      if (kept?.login === undefined) await endLogin(this.#options, name as ServerName, { cause: 'entry-changed' })
    }
  }

  async close(): Promise<void> {
    this.#open.close()
    await this.#options.store.close()
  }

  async #begin(name: ServerName, principal: string, redirect: Redirect) {
    const login = this.#find(name)
    const { auth } = login.entry
    if (auth.grant !== 'authorization_code')
      throw new ServiceError('conflict', {
        detail: `the unit itself logs in at ${name}: nobody else has to`,
        hint: `svcctl mcp probe ${name}`,
      })
    try {
      const fetch = await login.fetch()
      const authority = await discover(login.entry, fetch)
      const { metadata, resource, issuer } = authority
      if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
        throw new UpstreamFailure('authorization', 'the authorization server does not say that it checks PKCE')
      const client = await obtainClient({ auth, secret: login.clientSecret(), metadata, redirect }, fetch)
      const scope = chooseScopes({ auth, authority, wanted: [...(login.login?.scopes ?? []), ...login.wanted] })
      const state = this.#open.newState()
      const { authorizationUrl, codeVerifier: verifier } = await startAuthorization(issuer, {
        metadata,
        clientInformation: toInformation(client),
        redirectUrl: redirect.url,
        ...(scope !== undefined && { scope }),
        state,
        resource,
      })
      const begun = { name, binding: login.binding, principal, authority, client, redirect: redirect.url, verifier, scope }
      const id = this.#open.add(begun, state)
      login.hide([verifier, state])
      return { id, url: authorizationUrl.href, expiresAt: new Date(wallMs() + limits.loginTime).toISOString() }
    } catch (error) {
      throw failed(error)
    }
  }

  async #finish(id: string, principal: string) {
    const taken = this.#open.take(id, principal)
    if (taken === undefined) return { status: 'waiting' as const }
    const login = this.#find(taken.begun.name)
    if (login.binding !== taken.begun.binding)
      throw new ServiceError('conflict', {
        detail: 'the entry of the tool server has changed since the login was begun',
        hint: 'begin again',
      })
    try {
      await this.#exchange(login, taken)
    } catch (error) {
      throw failed(error)
    }
    this.#options.onChanged(login.name)
    return { status: 'done' as const }
  }

  async #exchange(login: ServerLogin, { begun, answer }: Taken): Promise<void> {
    const { authority, client, redirect, verifier, scope, principal } = begun
    const { code, error, iss } = answer
    if (error !== undefined || code === undefined) throw refusal(error)
    login.hide([code])
    const fetch = await login.fetch()
    const parties = { client, metadata: authority.metadata, resource: authority.resource }
    const tokens = await login.counted('authorization_code', () => exchangeCode(parties, { code, verifier, redirect, iss }, fetch))
    const { access, refresh } = tokens
    const kept = {
      binding: begun.binding,
      grant: 'authorization_code' as const,
      issuer: authority.issuer,
      resource: authority.resource,
      client,
      access,
      ...(refresh !== undefined && { refresh }),
      scopes: grantedScopes(login.entry.auth, scope, tokens.scope),
    }
    await login.keep(kept, principal)
  }

  /** It is over here before the authorization server is told. */
  async #logout(name: ServerName, principal: string) {
    const login = this.#find(name)
    const kept = login.login
    if (kept === undefined)
      throw new ServiceError('conflict', { detail: `expected a tool server that the unit is logged in at, got ${name}, where it is not` })
    await login.end({ cause: 'asked', principal })
    this.#options.onChanged(name)
    return { revoked: await this.#revoke(login, kept) }
  }

  async #revoke(login: ServerLogin, kept: Login): Promise<boolean> {
    try {
      const fetch = await login.fetch()
      const client = kept.grant === 'client_credentials' ? { ...kept.client, secret: login.clientSecret() ?? '' } : kept.client
      const parties = { client, metadata: await readMetadata(kept.issuer, fetch), resource: kept.resource }
      const tokens = kept.refresh === undefined ? [kept.access] : [kept.refresh, kept.access]
      const answers = await Promise.all(tokens.map((token) => revokeToken(parties, token, fetch)))
      return answers.every(Boolean)
    } catch (error) {
      this.#options.log.warn('a token could not be revoked at its authorization server', { server: login.name, error })
      return false
    }
  }

  #find(name: ServerName): ServerLogin {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    throw new ServiceError('conflict', {
      detail: `expected a tool server whose entry asks for a login, got ${name}`,
      hint: 'write auth into the entry first: svcctl mcp edit',
    })
  }
}
