// Who the unit is to an authorization server: the client of the entry, its own metadata document, or one that it registers.
import { buildClientMetadata, type ServerAuth } from '@gatehouse/contracts'
import type { Fetch } from '@gatehouse/outbound'
import { type AuthorizationServerMetadata, registerClient } from '@modelcontextprotocol/client'
import { UpstreamFailure } from '../upstream/base/failure.ts'
import type { Login } from './login.ts'

export type OAuthClient = Login['client']

export interface Redirect {
  readonly url: string
  /** Where the authorization server can read who the unit is; absent where it cannot. */
  readonly clientMetadataUrl?: string | undefined
}

/** As the SDK takes it. */
export const toInformation = ({ id, secret }: OAuthClient) => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
})

const methodOf = ({ token_endpoint_auth_methods_supported: methods }: AuthorizationServerMetadata): string =>
  ['none', 'client_secret_basic', 'client_secret_post'].find((method) => methods?.includes(method)) ?? 'client_secret_basic'

const longest = 4096

const register = async (metadata: AuthorizationServerMetadata, redirect: string, fetch: Fetch): Promise<OAuthClient> => {
  const clientMetadata = buildClientMetadata(redirect, methodOf(metadata))
  // oxlint-disable-next-line typescript/no-deprecated -- the only way in at servers that read no metadata documents
  const answer = await registerClient(metadata.issuer, { metadata, clientMetadata, fetchFn: fetch }).catch((error: unknown) => {
    if (error instanceof UpstreamFailure) throw error
    throw new UpstreamFailure('authorization', 'the authorization server does not register the unit: give the entry a clientID')
  })
  const { client_id: id, client_secret: secret, redirect_uris: uris } = answer
  if (uris.length !== 1 || uris[0] !== redirect)
    throw new UpstreamFailure('authorization', 'the authorization server registered the unit with another redirect')
  if (id === '' || id.length > longest || (secret ?? '').length > longest)
    throw new UpstreamFailure('authorization', 'the authorization server registered the unit under an id that cannot be used')
  return { id, ...(secret !== undefined && { secret }) }
}

export interface ClientWish {
  readonly auth: ServerAuth
  /** Of the entry, expanded. */
  readonly secret: string | undefined
  readonly metadata: AuthorizationServerMetadata
  readonly redirect: Redirect
}

/** Rejects only with `UpstreamFailure`. */
export const obtainClient = async ({ auth, secret, metadata, redirect }: ClientWish, fetch: Fetch): Promise<OAuthClient> => {
  if (auth.clientID !== undefined) return { id: auth.clientID, ...(secret !== undefined && { secret }) }
  const readsDocuments = 'client_id_metadata_document_supported' in metadata && metadata.client_id_metadata_document_supported === true
  if (readsDocuments && redirect.clientMetadataUrl !== undefined) return { id: redirect.clientMetadataUrl }
  if (metadata.registration_endpoint !== undefined) return register(metadata, redirect.url, fetch)
  throw new UpstreamFailure('authorization', 'the authorization server registers no clients: give the entry a clientID')
}
