// A small authorization server of OAuth 2.1, with dynamic registration, client metadata documents and rotation, and with every fault
// that a test asks for. It is written from the RFCs and shares nothing with the broker.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from './free-port.ts'

interface Code {
  readonly client: string
  readonly redirect: string
  readonly challenge: string
  readonly resource: string | null
  readonly scope: string
}

export interface Issued {
  readonly client: string
  readonly resource: string | null
  readonly scope: string
}

export interface TokenRequest {
  readonly form: URLSearchParams
  readonly authorization: string | undefined
}

type Answer = { readonly status?: number; readonly body: unknown }

const random = (): string => randomBytes(24).toString('base64url')

/** What the server answers to a wrong request. */
class OAuthRefusal extends Error {}

const must = (isFine: boolean, error: string): void => {
  if (!isFine) throw new OAuthRefusal(error)
}

export class AuthorizationServer {
  /** Registered beforehand: id to secret. */
  readonly clients = new Map<string, string | undefined>()
  readonly access = new Map<string, Issued>()
  readonly refresh = new Map<string, Issued>()
  readonly tokenRequests: TokenRequest[] = []
  readonly registrations: unknown[] = []
  readonly revoked: string[] = []
  readonly paths: string[] = []
  /** Take the place of members of the metadata; undefined leaves one out. */
  metadata: Record<string, unknown> = {}
  metadataText: string | undefined
  metadataStatus = 200
  /** Changes an answer of the token endpoint before it leaves. */
  onToken: (answer: Answer, request: TokenRequest) => Answer | Promise<Answer> = (answer) => answer
  /** Changes an answer of the registration. */
  onRegister: (body: Record<string, unknown>) => Record<string, unknown> = (body) => body
  /** Added to the address that the browser is sent back to. */
  onRedirect: (back: URL) => void = () => undefined
  /** Answers everything itself where it returns true. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  rotates = true
  givesRefresh = true
  readonly #codes = new Map<string, Code>()
  readonly #server: Server
  readonly issuer: string

  private constructor(port: number) {
    this.issuer = `http://127.0.0.1:${port}`
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<AuthorizationServer> {
    const port = await freePort()
    const server = new AuthorizationServer(port)
    await new Promise<void>((resolve) => void server.#server.listen(port, '127.0.0.1', resolve))
    return server
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** What a browser does whose user agrees: the address that it is sent back to. */
  async agree(url: string): Promise<URL> {
    const response = await fetch(url, { redirect: 'manual' })
    const to = response.headers.get('location')
    if (to === null) throw new Error(`expected a redirect, got ${response.status}: ${await response.text()}`)
    return new URL(to)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    this.paths.push(url.pathname)
    if (this.instead?.(request, response) === true) return
    const send = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body))
    try {
      if (url.pathname === '/.well-known/oauth-authorization-server')
        return send(this.metadataStatus, this.metadataText ?? this.#document())
      if (url.pathname === '/authorize') return void response.writeHead(302, { location: this.#authorize(url.searchParams).href }).end()
      if (url.pathname === '/register') return send(201, this.#register(JSON.parse(await text(request))))
      if (url.pathname === '/revoke') return send(200, this.#revoke(new URLSearchParams(await text(request))))
      if (url.pathname !== '/token') return send(404, {})
      const asked = { form: new URLSearchParams(await text(request)), authorization: request.headers.authorization }
      this.tokenRequests.push(asked)
      const { status = 200, body } = await this.onToken({ body: this.#token(asked) }, asked)
      return send(status, body)
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error
      return send(400, { error: error.message })
    }
  }

  #document(): object {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    }
  }

  #register(body: Record<string, unknown>): object {
    this.registrations.push(body)
    const id = `client-${random()}`
    this.clients.set(id, undefined)
    return this.onRegister({ ...body, client_id: id })
  }

  #authorize(query: URLSearchParams): URL {
    const [client, redirect, challenge] = ['client_id', 'redirect_uri', 'code_challenge'].map((name) => query.get(name) ?? '')
    must(this.clients.has(client ?? '') || client?.startsWith('https://') === true, 'invalid_client')
    must(query.get('code_challenge_method') === 'S256' && query.get('response_type') === 'code', 'invalid_request')
    const code = random()
    const granted = { resource: query.get('resource'), scope: query.get('scope') ?? '' }
    this.#codes.set(code, { client: client ?? '', redirect: redirect ?? '', challenge: challenge ?? '', ...granted })
    const back = new URL(redirect ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', this.issuer)
    this.onRedirect(back)
    return back
  }

  #clientOf({ form, authorization }: TokenRequest): string {
    const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1]
    const pair = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
    const [id = '', secret] = pair ?? [form.get('client_id') ?? '', form.get('client_secret') ?? undefined]
    must(this.clients.has(id) || id.startsWith('https://'), 'invalid_client')
    must(this.clients.get(id) === secret, 'invalid_client')
    return id
  }

  #token(request: TokenRequest): object {
    const { form } = request
    const client = this.#clientOf(request)
    const grant = form.get('grant_type')
    if (grant === 'client_credentials')
      return this.#issue({ client, resource: form.get('resource'), scope: form.get('scope') ?? '' }, false)
    if (grant === 'refresh_token') return this.#rotate(form.get('refresh_token') ?? '', client)
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    must(code !== undefined && code.client === client && code.redirect === form.get('redirect_uri'), 'invalid_grant')
    must(code?.challenge === challenge && code.resource === form.get('resource'), 'invalid_grant')
    return this.#issue({ client, resource: code?.resource ?? null, scope: code?.scope ?? '' }, true)
  }

  #rotate(token: string, client: string): object {
    const issued = this.refresh.get(token)
    must(issued !== undefined && issued.client === client, 'invalid_grant')
    if (this.rotates) this.refresh.delete(token)
    return this.#issue(issued ?? { client, resource: null, scope: '' }, this.rotates)
  }

  #issue(issued: Issued, refreshes: boolean): object {
    const access = `access-${random()}`
    this.access.set(access, issued)
    const answer = { access_token: access, token_type: 'Bearer', expires_in: 3600, ...(issued.scope !== '' && { scope: issued.scope }) }
    if (!refreshes || !this.givesRefresh) return answer
    const refresh = `refresh-${random()}`
    this.refresh.set(refresh, issued)
    return { ...answer, refresh_token: refresh }
  }

  #revoke(form: URLSearchParams): object {
    const token = form.get('token') ?? ''
    this.revoked.push(token)
    this.access.delete(token)
    this.refresh.delete(token)
    return {}
  }
}
