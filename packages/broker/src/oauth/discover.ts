// Finds the authorization server of a remote tool server, and refuses every piece of metadata that is not what it should be.
import { checkServerUrl } from '@gatehouse/contracts'
import type { Fetch } from '@gatehouse/outbound'
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client'
import { UpstreamFailure } from '../upstream/base/failure.ts'
import type { AuthEntry } from './login.ts'
import { readScopes } from './scopes.ts'

export interface Authority {
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata
  /** What a token is asked for (RFC 8707). */
  readonly resource: string
  /** What the server says that it needs. */
  readonly scopes: readonly string[] | undefined
}

const refused = (detail: string): UpstreamFailure => new UpstreamFailure('authorization', detail)

/** What the server answers to whoever has no token. */
interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined
  readonly scopes?: readonly string[] | undefined
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

const readChallenge = async ({ url }: AuthEntry, fetch: Fetch): Promise<Challenge> => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(url, { method: 'POST', headers, body: ping })
  if (response.status !== 401) return {}
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== new URL(url).origin)
    throw refused('the server names metadata at another origin than its own')
  return { resourceMetadataUrl, scopes: readScopes(scope) }
}

/** Undefined where the server has none; anything else that is no metadata is refused. */
const readResourceMetadata = async (
  { url }: AuthEntry,
  { resourceMetadataUrl }: Challenge,
  fetch: Fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> => {
  const statuses: number[] = []
  const watched: Fetch = async (target, init) => {
    const response = await fetch(target, init)
    statuses.push(response.status)
    return response
  }
  try {
    return await discoverOAuthProtectedResourceMetadata(url, resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }, watched)
  } catch (error) {
    if (resourceMetadataUrl === undefined && statuses.length > 0 && statuses.every((status) => status === 404)) return undefined
    throw error instanceof UpstreamFailure ? error : refused('the metadata of the server cannot be used')
  }
}

/** The one of the entry, or the first that the server names; a server of the first revision with OAuth is its own. */
const chooseIssuer = ({ url, auth }: AuthEntry, metadata: OAuthProtectedResourceMetadata | undefined): string => {
  const named = metadata?.authorization_servers ?? []
  if (metadata !== undefined && named.length === 0) throw refused('the metadata of the server names no authorization server')
  const servers = metadata === undefined ? [new URL('/', url).href] : named
  const wanted = auth.issuer
  if (wanted === undefined) return servers[0] ?? ''
  const plain = (issuer: string): string => issuer.replace(/\/$/, '')
  if (servers.some((server) => plain(server) === plain(wanted))) return wanted
  throw refused('the server names another authorization server than the entry')
}

/** Undefined where the metadata names none. Not every kind of metadata knows every endpoint. */
export const endpointOf = (metadata: AuthorizationServerMetadata, name: (typeof endpoints)[number]): string | undefined => {
  const url: unknown = Reflect.get(metadata, name)
  return typeof url === 'string' ? url : undefined
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const

/** The metadata of this issuer; used for whatever tokens it gave, whatever the tool server says later. */
export const readMetadata = async (issuer: string, fetch: Fetch): Promise<AuthorizationServerMetadata> => {
  if (checkServerUrl(issuer) !== null) throw refused('the authorization server has an address that is refused: expected https')
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }).catch((error: unknown) => {
    if (error instanceof UpstreamFailure) throw error
    throw refused(
      error instanceof IssuerMismatchError
        ? 'the metadata of the authorization server is that of another issuer'
        : 'the metadata of the authorization server cannot be used',
    )
  })
  if (metadata === undefined) throw refused('the authorization server has no metadata')
  const bad = endpoints.find((name) => {
    const url = endpointOf(metadata, name)
    return url !== undefined && checkServerUrl(url) !== null
  })
  if (bad !== undefined) throw refused(`the metadata of the authorization server names a ${bad} that is refused: expected https`)
  return metadata
}

/** Rejects only with `UpstreamFailure`. */
export const discover = async (entry: AuthEntry, fetch: Fetch): Promise<Authority> => {
  const challenge = await readChallenge(entry, fetch)
  const described = await readResourceMetadata(entry, challenge, fetch)
  const requestedResource = resourceUrlFromServerUrl(entry.url)
  const resource = described?.resource ?? requestedResource.href
  if (!URL.canParse(resource) || !checkResourceAllowed({ requestedResource, configuredResource: resource }))
    throw refused('the metadata of the server is that of another resource')
  const metadata = await readMetadata(chooseIssuer(entry, described), fetch)
  return { issuer: metadata.issuer, metadata, resource, scopes: challenge.scopes ?? described?.scopes_supported }
}
