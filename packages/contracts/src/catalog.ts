// Catalog entries: tool servers as an operator configures them. The URL of a remote one is checked on its text;
// addresses are checked again when they are dialled.
import * as v from 'valibot'
import { ServerName } from './ids.ts'
import { dictionary } from './json.ts'

/** Plain HTTP is only allowed for loopback addresses in their usual spelling. */
const plainLoopback = /^http:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i

const parse = (url: string): URL | null => {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** Null if the URL is allowed, otherwise the reason. Never repeats a credential. */
export const checkServerUrl = (url: string): string | null => {
  if (url.includes('${')) return 'the URL must not contain ${NAME}: variables are only expanded in header values'
  // A parser silently drops or rewrites these characters, so a person would read another URL than the one that is dialled.
  if (/[\s\\]/u.test(url) || /[^\x21-\x7e]/u.test(url)) return 'the URL must not contain spaces, backslashes or non-ASCII characters'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return `the URL must use https, not ${scheme ?? 'no scheme'}`
  const parsed = /^https?:\/\/[^/]/i.test(url) ? parse(url) : null
  if (parsed === null) return 'the URL is not an absolute URL such as https://host/path'
  if (parsed.username !== '' || parsed.password !== '' || /^https?:\/\/[^/?#]*@/i.test(url))
    return 'the URL must not contain a user or password: put credentials into headers'
  if (scheme === 'http' && !(plainLoopback.test(url) && /^(?:localhost$|127\.|\[::1\]$)/.test(parsed.hostname)))
    return `the URL must use https, not http to ${parsed.hostname}: plain http is only allowed for localhost, 127.0.0.0/8 and [::1]`
  return null
}

/** Image id of a container engine. Podman omits the prefix. */
export const ImageID = v.pipe(v.string(), v.regex(/^(sha256:)?[0-9a-f]{64}$/, 'expected an image id of 64 hex digits'))

/** An image name or digest. Must not look like a command-line flag. */
export const imageReference = /^[^-\s][^\s]*$/

const Variables = dictionary(
  v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected a name of A-Z a-z 0-9 _, the first not a digit')),
  v.pipe(v.string(), v.maxLength(8192)),
)
const Headers = dictionary(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'expected an HTTP header name')),
  v.pipe(v.string(), v.maxLength(8192)),
)

/** `session`: each session has its own connection, and its own process of a local server. Absent: all sessions share one. */
const Sharing = v.picklist(['unit', 'session'])
const hostPath = v.pipe(
  v.string(),
  v.maxLength(4096),
  v.regex(/^\/[^\0-\x1f:,"]*$/, 'expected an absolute path without a colon, comma, quote or control character'),
  v.check((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'expected a path without "." and ".."'),
)

/** Paths that the engine or the entry itself uses. */
const taken = /^\/(?:(?:data|dev|proc|sys|tmp)(?:\/.*)?)?$/

/** A host directory or file that is mounted into the container of a local server. */
export const Volume = v.strictObject({
  source: hostPath,
  target: v.pipe(
    hostPath,
    v.check((path) => !taken.test(path), 'expected a path other than /, /data, /dev, /proc, /sys and /tmp'),
  ),
  mode: v.optional(v.picklist(['ro', 'rw']), 'ro'),
})
export type Volume = v.InferOutput<typeof Volume>

export const LocalEntry = v.strictObject({
  transport: v.literal('stdio'),
  command: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  args: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(8192))), v.maxLength(256)), []),
  image: v.optional(
    v.pipe(v.string(), v.maxLength(512), v.regex(/^$|^[^-\s][^\s]*$/, 'expected an image reference that does not begin with -')),
  ),
  /** Image id of the reference when the entry was saved. Set by the unit; this image is the one that runs. */
  imageID: v.optional(ImageID),
  env: v.optional(Variables, {}),
  sharing: v.optional(Sharing),
  /** Only in a container: host paths below those in `SERVICE_MOUNT_ALLOW`. */
  volumes: v.optional(v.pipe(v.array(Volume), v.maxLength(16))),
  /** Only in a container: a private, persistent directory at `/data`. */
  data: v.optional(v.boolean()),
})

const scopeToken = v.pipe(
  v.string(),
  v.maxLength(256),
  v.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected a scope: ASCII without spaces, quotes and backslashes'),
)

/** How the unit gets the token of a remote server by OAuth 2.1. Absent: it asks for none. */
export const ServerAuth = v.pipe(
  v.strictObject({
    type: v.literal('oauth'),
    /** `authorization_code`: a person logs in. `client_credentials`: the unit itself does. */
    grant: v.optional(v.picklist(['authorization_code', 'client_credentials']), 'authorization_code'),
    /** The most that is ever asked for. Absent: what the server says. */
    scopes: v.optional(v.pipe(v.array(scopeToken), v.minLength(1), v.maxLength(64))),
    /** Absent: the unit registers itself with the authorization server. */
    clientID: v.optional(v.pipe(v.string(), v.maxLength(2048), v.regex(/^[\x20-\x7e]+$/, 'expected printable ASCII'))),
    clientSecret: v.optional(
      v.pipe(v.string(), v.regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/, 'expected ${NAME}: the secret itself is never written down')),
    ),
    /** The one authorization server that is trusted. Absent: the one that the server names at the login. */
    issuer: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(2048),
        v.check((url) => checkServerUrl(url) === null, 'expected the https url of an authorization server'),
      ),
    ),
  }),
  v.check(
    ({ grant, clientID, clientSecret }) => grant !== 'client_credentials' || (clientID !== undefined && clientSecret !== undefined),
    'expected clientID and clientSecret together with the grant client_credentials',
  ),
  v.check(
    ({ clientID, clientSecret, issuer }) => clientSecret === undefined || (clientID !== undefined && issuer !== undefined),
    'expected clientID and issuer together with clientSecret: the secret is only sent to that authorization server',
  ),
)
export type ServerAuth = v.InferOutput<typeof ServerAuth>

export const RemoteEntry = v.strictObject({
  transport: v.literal('http'),
  url: v.pipe(v.string(), v.maxLength(2048)),
  headers: v.optional(Headers, {}),
  sharing: v.optional(Sharing),
  /** `public`: connections to loopback, private and cloud-internal addresses are refused. Always set for servers that an agent proposed. */
  reach: v.optional(v.picklist(['any', 'public'])),
  auth: v.optional(ServerAuth),
})

/** A tool server as the operator configured it. Values may contain `${NAME}` references. */
export const CatalogEntry = v.variant('transport', [LocalEntry, RemoteEntry])
export type CatalogEntry = v.InferOutput<typeof CatalogEntry>
export type LocalEntry = v.InferOutput<typeof LocalEntry>
export type RemoteEntry = v.InferOutput<typeof RemoteEntry>

export const Catalog = dictionary(ServerName, CatalogEntry)
export type Catalog = v.InferOutput<typeof Catalog>
