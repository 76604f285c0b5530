// The login of one remote tool server: its token for each request, renewed by one request at a time, and its end.
import type { ServerName } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Fetch } from '@gatehouse/outbound'
import { expand } from '../secrets/expand.ts'
import { UpstreamFailure } from '../upstream/base/failure.ts'
import type { Authorization } from './authorized-fetch.ts'
import { discover, readMetadata } from './discover.ts'
import { endLogin, type LoginEnd } from './end-login.ts'
import { type AuthEntry, bindingOf, type Login, secretsOfLogin } from './login.ts'
import type { LoginServices } from './login-services.ts'
import { allowsScopes, chooseScopes, grantedScopes } from './scopes.ts'
import { GrantRefused, refreshTokens, requestByCredentials, type Tokens } from './token-requests.ts'

/** A token that was used a while ago may be repeated by a server now. */
const keptSecrets = 32
/** Scopes that are asked for at the next login. */
const keptScopes = 32

type Grant = 'authorization_code' | 'client_credentials' | 'refresh_token'

export class ServerLogin implements Authorization {
  readonly name: ServerName
  readonly entry: AuthEntry
  readonly binding: Login['binding']
  readonly #services: LoginServices
  #renewing: Promise<string> | undefined
  #wanted: readonly string[] = []
  #secrets: readonly string[] = []

  constructor(name: ServerName, entry: AuthEntry, services: LoginServices) {
    this.name = name
    this.entry = entry
    this.binding = bindingOf(entry)
    this.#services = services
    const login = this.login
    if (login !== undefined) this.hide(secretsOfLogin(login))
    for (const grant of [entry.auth.grant, ...(entry.auth.grant === 'authorization_code' ? ['refresh_token'] : [])])
      for (const outcome of ['ok', 'error']) services.metrics.touch('broker_token_requests_total', { server: name, grant, outcome })
    this.#show()
  }

  /** Undefined where there is none for the entry as it is. */
  get login(): Login | undefined {
    const login = this.#services.store.get(this.name)
    return login?.binding === this.binding ? login : undefined
  }

  get needsLogin(): boolean {
    return this.entry.auth.grant === 'authorization_code' && this.login === undefined
  }

  /** Scopes for which calls were refused. */
  get wanted(): readonly string[] {
    return this.#wanted
  }

  /** Kept out of agents, logs and answers. Another array when it has changed. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  async token(): Promise<string> {
    const { login } = this
    if (login !== undefined) return login.access
    if (this.entry.auth.grant === 'authorization_code') throw new UpstreamFailure('needs-login')
    return this.#once(() => this.#obtain(this.#wanted))
  }

  renew(refused: string): Promise<string> {
    return this.#once(() => this.#renew(refused))
  }

  async widen(refused: string, scopes: readonly string[]): Promise<string | undefined> {
    const known = this.login
    if (known !== undefined && known.access !== refused) return known.access
    const fresh = scopes.filter((scope) => !this.#wanted.includes(scope))
    if (fresh.length === 0 || !allowsScopes(this.entry.auth, scopes)) return undefined
    this.#wanted = [...this.#wanted, ...fresh].slice(-keptScopes)
    if (this.entry.auth.grant === 'authorization_code') return undefined
    return this.#once(() => this.#obtain(this.#wanted)).catch((error: unknown) => {
      if (error instanceof UpstreamFailure && error.kind === 'denied') return undefined
      throw error
    })
  }

  /** The secret of the entry's own client. Throws where its variable cannot be used. */
  clientSecret(): string | undefined {
    const { clientSecret } = this.entry.auth
    if (clientSecret === undefined) return undefined
    const { values, secrets } = expand({ clientSecret }, this.#services.variables)
    // It lasts as long as its variable.
    for (const secret of secrets) this.#services.secret(secret)
    this.hide([...secrets])
    return values['clientSecret']
  }

  /** Journaled before it is kept: a login that is nowhere written down is none. */
  async keep(login: Login, principal?: string): Promise<void> {
    this.hide(secretsOfLogin(login))
    const { grant, issuer, scopes } = login
    const by = principal === undefined ? {} : { principal }
    await this.#services.gateway
      .loggedIn({ server: this.name, ...by, grant, issuer, scopes, token: sha256(login.access) })
      .catch((cause: unknown) => {
        this.#services.log.warn('a login could not be journaled', { server: this.name, error: cause })
        throw new UpstreamFailure('authorization', 'the login could not be journaled, so it was not kept')
      })
    await this.#services.store.put(this.name, login)
    this.#wanted = []
    this.#show()
  }

  async end(end: LoginEnd): Promise<void> {
    await endLogin(this.#services, this.name, end)
    this.#show()
  }

  async fetch(): Promise<Fetch> {
    return this.#services.createFetch(this.entry)
  }

  /** Tokens that are asked for, as the metrics show them. */
  async counted(grant: Grant, ask: () => Promise<Tokens>): Promise<Tokens> {
    const count = (outcome: 'ok' | 'error'): void =>
      this.#services.metrics.counter('broker_token_requests_total').inc({ server: this.name, grant, outcome })
    try {
      const tokens = await ask()
      count('ok')
      return tokens
    } catch (error) {
      count('error')
      throw error
    }
  }

  /** From here on they are in no log, no answer and nothing that an agent reads. */
  hide(values: readonly string[]): void {
    const fresh = values.filter((value) => !this.#secrets.includes(value))
    if (fresh.length === 0) return
    for (const value of fresh) this.#services.secret(value, { shortLived: true })
    this.#secrets = [...this.#secrets, ...fresh].slice(-keptSecrets)
  }

  async #renew(refused: string): Promise<string> {
    const { login } = this
    if (login !== undefined && login.access !== refused) return login.access
    if (this.entry.auth.grant === 'client_credentials') return this.#obtain(this.#wanted)
    if (login === undefined) throw new UpstreamFailure('needs-login')
    try {
      if (login.refresh === undefined) throw new GrantRefused('the login has ended, and cannot be renewed')
      return await this.#refresh(login, login.refresh)
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error
      await this.end({ cause: 'refused' })
      throw new UpstreamFailure('needs-login')
    }
  }

  async #refresh(login: Login, refresh: string): Promise<string> {
    const fetch = await this.fetch()
    const metadata = await readMetadata(login.issuer, fetch)
    const tokens = await this.counted('refresh_token', () => refreshTokens({ ...login, metadata }, refresh, fetch))
    const next: Login = { ...login, ...tokensOf(tokens), scopes: grantedScopes(this.entry.auth, login.scopes.join(' '), tokens.scope) }
    this.hide(secretsOfLogin(next))
    // The old ones may be worth nothing by now: these are used also where they cannot be written.
    await this.#services.store.put(this.name, next).catch((error: unknown) =>
      this.#services.log.error('a renewed login could not be written: after a restart it has to be made again', {
        server: this.name,
        error,
      }),
    )
    return next.access
  }

  async #obtain(wanted: readonly string[]): Promise<string> {
    const { auth } = this.entry
    const client = { id: auth.clientID ?? '', secret: this.clientSecret() ?? '' }
    const fetch = await this.fetch()
    const authority = await discover(this.entry, fetch)
    const before = this.login
    const scope = chooseScopes({ auth, authority, wanted: [...(before?.scopes ?? []), ...wanted] })
    const tokens = await this.counted('client_credentials', () => requestByCredentials({ authority, client, scope }, fetch)).catch(
      (error: unknown) => {
        if (error instanceof GrantRefused) throw new UpstreamFailure('denied', 'the authorization server refused the client of the entry')
        throw error
      },
    )
    const { issuer, resource } = authority
    const login: Login = {
      binding: this.binding,
      grant: 'client_credentials',
      issuer,
      resource,
      client: { id: client.id },
      access: tokens.access,
      scopes: grantedScopes(auth, scope, tokens.scope),
    }
    if (before === undefined) await this.keep(login)
    else await this.#services.store.put(this.name, login)
    this.hide(secretsOfLogin(login))
    return login.access
  }

  /** Whoever asks while it runs shares the answer. */
  #once(act: () => Promise<string>): Promise<string> {
    this.#renewing ??= act().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  #show(): void {
    this.#services.metrics.gauge('broker_upstream_needs_login').set({ server: this.name }, this.needsLogin ? 1 : 0)
  }
}

const tokensOf = ({ access, refresh }: Tokens): Pick<Login, 'access' | 'refresh'> => ({
  access,
  ...(refresh !== undefined && { refresh }),
})
