// A login at a remote tool server, as it is kept.
import { Digest, type RemoteEntry, type ServerAuth } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import * as v from 'valibot'

export const Login = v.strictObject({
  /** What it was made for: with another url or another `auth` in the entry it is none. */
  binding: Digest,
  grant: v.picklist(['authorization_code', 'client_credentials']),
  /** The authorization server that gave the tokens: they are sent to no other. */
  issuer: v.string(),
  /** What the tokens are good for (RFC 8707). */
  resource: v.string(),
  client: v.strictObject({ id: v.string(), secret: v.optional(v.string()) }),
  access: v.string(),
  refresh: v.optional(v.string()),
  scopes: v.array(v.string()),
})
export type Login = v.InferOutput<typeof Login>

/** An entry that asks for a login. */
export type AuthEntry = RemoteEntry & { readonly auth: ServerAuth }

export const bindingOf = ({ url, auth }: AuthEntry): Digest => digestOf({ url, auth })

/** What is kept out of agents, logs and answers. */
export const secretsOfLogin = ({ access, refresh, client }: Login): string[] =>
  [access, refresh, client.secret].filter((value) => value !== undefined)
