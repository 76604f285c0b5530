// Which scopes are asked for, and which may be granted: never more than the entry says.
import type { ServerAuth } from '@gatehouse/contracts'
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import { UpstreamFailure } from '../upstream/base/failure.ts'

const token = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const most = 64

/** What a server says is read as far as it is one. */
export const readScopes = (text: string | undefined): string[] | undefined => {
  const scopes = [...new Set((text ?? '').split(' '))].filter((scope) => token.test(scope)).slice(0, most)
  return scopes.length === 0 ? undefined : scopes
}

const union = (...lists: readonly (readonly string[] | undefined)[]): string[] => [...new Set(lists.flatMap((list) => list ?? []))]

export interface ScopeWish {
  readonly auth: ServerAuth
  readonly authority: { readonly metadata: AuthorizationServerMetadata; readonly scopes: readonly string[] | undefined }
  /** What calls were refused for, and what was granted before. */
  readonly wanted: readonly string[]
}

/** Undefined: none is named, which leaves it to the authorization server. */
export const chooseScopes = ({ auth, authority, wanted }: ScopeWish): string | undefined => {
  if (auth.scopes !== undefined) return auth.scopes.join(' ')
  const offline = 'offline_access'
  // Without it some give no refresh token.
  const lasts = auth.grant === 'authorization_code' && authority.metadata.scopes_supported?.includes(offline) === true
  const said = union(authority.scopes, wanted).filter((scope) => token.test(scope))
  const scopes = union(said, lasts ? [offline] : [])
  return scopes.length === 0 ? undefined : scopes.slice(0, most).join(' ')
}

/** Whether a login could be made that has them. */
export const allowsScopes = ({ scopes }: ServerAuth, wanted: readonly string[]): boolean =>
  scopes === undefined || wanted.every((scope) => scopes.includes(scope))

/** An answer without a scope grants what was asked for. Throws where more was granted than the entry says. */
export const grantedScopes = (auth: ServerAuth, asked: string | undefined, granted: string | undefined): string[] => {
  const scopes = readScopes(granted ?? asked) ?? []
  if (!allowsScopes(auth, scopes))
    throw new UpstreamFailure('authorization', 'the authorization server granted scopes that the entry does not name')
  return scopes
}
