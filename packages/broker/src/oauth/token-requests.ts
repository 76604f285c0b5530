// Requests for tokens, by each grant, and their end. Every answer is judged before it is used; no word of an answer is repeated.
import type { Fetch } from '@gatehouse/outbound'
import {
  type AuthorizationServerMetadata,
  ClientCredentialsProvider,
  exchangeAuthorization,
  fetchToken,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client'
import { limits } from '@gatehouse/contracts'
import { minSecretLength } from '../secrets/expand.ts'
import { UpstreamFailure } from '../upstream/base/failure.ts'
import { type OAuthClient, toInformation } from './client.ts'
import { type Authority, endpointOf } from './discover.ts'

export interface Tokens {
  readonly access: string
  readonly refresh?: string
  /** As the answer says it. */
  readonly scope?: string
}

/** The authorization server refused, and asking again will not help. */
export class GrantRefused extends UpstreamFailure {
  constructor(detail = 'the authorization server refused the login') {
    super('needs-login', detail)
  }
}

const passing: ReadonlySet<string> = new Set([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
])

const toFailure = (error: unknown): UpstreamFailure => {
  if (error instanceof UpstreamFailure) return error
  if (error instanceof IssuerMismatchError) return new GrantRefused('the answer to the login came from another authorization server')
  if (error instanceof OAuthError && !passing.has(error.code)) return new GrantRefused()
  return new UpstreamFailure('authorization', 'the authorization server gives no token now')
}

/** RFC 6750: what a header can carry as it stands. */
const usable = /^[A-Za-z0-9\-._~+/]+=*$/

const isUsable = (token: string): boolean => token.length >= minSecretLength && token.length <= limits.accessToken && usable.test(token)

const refreshable = /^[\x21-\x7e]+$/

const judge = ({ access_token: access, token_type: type, refresh_token: refresh, scope }: OAuthTokens): Tokens => {
  const isBearer = type.toLowerCase() === 'bearer'
  const keepsRefresh = refresh === undefined || (refresh.length <= limits.accessToken && refreshable.test(refresh))
  if (!isBearer || !isUsable(access) || !keepsRefresh)
    throw new UpstreamFailure('authorization', 'the authorization server gave a token that cannot be used')
  return { access, ...(refresh !== undefined && { refresh }), ...(scope !== undefined && { scope }) }
}

const request = async (ask: () => Promise<OAuthTokens>): Promise<Tokens> => {
  try {
    return judge(await ask())
  } catch (error) {
    throw toFailure(error)
  }
}

export interface TokenParties {
  readonly client: OAuthClient
  readonly metadata: AuthorizationServerMetadata
  readonly resource: string
}

export interface CodeAnswer {
  readonly code: string
  readonly verifier: string
  readonly redirect: string
  /** RFC 9207. */
  readonly iss: string | undefined
}

export const exchangeCode = (
  { client, metadata, resource }: TokenParties,
  { code, verifier, redirect, iss }: CodeAnswer,
  fetch: Fetch,
): Promise<Tokens> =>
  request(() =>
    exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: toInformation(client),
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier: verifier,
      redirectUri: redirect,
      resource,
      fetchFn: fetch,
    }),
  )

export const refreshTokens = ({ client, metadata, resource }: TokenParties, refreshToken: string, fetch: Fetch): Promise<Tokens> =>
  request(() =>
    refreshAuthorization(metadata.issuer, { metadata, clientInformation: toInformation(client), refreshToken, resource, fetchFn: fetch }),
  )

export interface CredentialsWish {
  readonly authority: Authority
  readonly client: OAuthClient
  readonly scope: string | undefined
}

export const requestByCredentials = ({ authority, client, scope }: CredentialsWish, fetch: Fetch): Promise<Tokens> => {
  const { metadata, issuer, resource } = authority
  const provider = new ClientCredentialsProvider({
    clientId: client.id,
    clientSecret: client.secret ?? '',
    clientName: 'Gatehouse',
    ...(scope !== undefined && { scope }),
    expectedIssuer: issuer,
  })
  return request(() => fetchToken(provider, issuer, { metadata, resource, ...(scope !== undefined && { scope }), fetchFn: fetch }))
}

const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** RFC 7009. True if the authorization server says that the token is good for nothing any more. */
export const revokeToken = async ({ client, metadata }: TokenParties, token: string, fetch: Fetch): Promise<boolean> => {
  const endpoint = endpointOf(metadata, 'revocation_endpoint')
  if (endpoint === undefined) return false
  const body = new URLSearchParams({ token })
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' })
  const method = selectClientAuthMethod(toInformation(client), metadata.token_endpoint_auth_methods_supported ?? [])
  if (method === 'client_secret_basic') {
    const pair = `${formEncode(client.id)}:${formEncode(client.secret ?? '')}`
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  } else {
    body.set('client_id', client.id)
    if (method === 'client_secret_post') body.set('client_secret', client.secret ?? '')
  }
  const answer = await fetch(endpoint, { method: 'POST', headers, body: body.toString() }).catch(() => undefined)
  return answer?.ok === true
}
