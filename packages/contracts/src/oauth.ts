// What the unit shows of itself to authorization servers of remote tool servers.

/** Where a browser comes back to after a login. */
export const loginCallbackPath = '/v1/oauth/callback'

/** Where an authorization server reads who the unit is, if it can reach it. */
export const clientMetadataPath = '/v1/oauth/client.json'

/** RFC 7591. A public client: what it holds is proved by PKCE. */
export interface ClientMetadata {
  readonly client_name: string
  readonly redirect_uris: string[]
  readonly grant_types: string[]
  readonly response_types: string[]
  readonly token_endpoint_auth_method: string
}

export const buildClientMetadata = (redirectUrl: string, authMethod = 'none'): ClientMetadata => ({
  client_name: 'Gatehouse',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: authMethod,
})
