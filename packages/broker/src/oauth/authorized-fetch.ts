// Adds the token of a login to each request to a remote tool server. A request that the server refused for its token is sent once more
// with a newer one: the server did not look at it.
import type { Fetch } from '@gatehouse/outbound'
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { readScopes } from './scopes.ts'

/** Where the token comes from. All reject with `UpstreamFailure`. */
export interface Authorization {
  token(): Promise<string>
  /** The server refused this token. */
  renew(refused: string): Promise<string>
  /** The server wants a token for more. Undefined where a person has to log in for it. */
  widen(refused: string, scopes: readonly string[]): Promise<string | undefined>
}

/** Undefined where the response is the answer. */
const askForNewer = async (response: Response, token: string, authorization: Authorization): Promise<string | undefined> => {
  if (response.status === 401) return authorization.renew(token)
  if (response.status !== 403) return undefined
  const { error, scope } = extractWWWAuthenticateParams(response)
  return error === 'insufficient_scope' ? authorization.widen(token, readScopes(scope) ?? []) : undefined
}

export const createAuthorizedFetch =
  (fetch: Fetch, authorization: Authorization): Fetch =>
  async (target, init = {}) => {
    const send = (token: string): Promise<Response> => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(target, { ...init, headers })
    }
    const token = await authorization.token()
    const response = await send(token)
    let newer: string | undefined
    try {
      newer = await askForNewer(response, token, authorization)
    } catch (error) {
      await response.body?.cancel().catch(() => undefined)
      throw error
    }
    if (newer === undefined) return response
    await response.body?.cancel().catch(() => undefined)
    return send(newer)
  }
