// A tool server as the operator writes it down, and the files that hold such entries.
import * as v from 'valibot'
import { ServerName } from './ids.ts'
import { dictionary } from './json.ts'

/** As a container engine names the content of an image; Podman leaves the prefix out. */
export const ImageID = v.pipe(v.string(), v.regex(/^(sha256:)?[0-9a-f]{64}$/, 'expected the id of an image: 64 hex digits'))

/** A name or digest of an image; never something that an engine would take for a flag. */
export const imageReference = /^[^-\s][^\s]*$/

const Variables = dictionary(
  v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected a name of A-Z a-z 0-9 _, the first not a digit')),
  v.pipe(v.string(), v.maxLength(8192)),
)
const Headers = dictionary(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'expected an HTTP header name')),
  v.pipe(v.string(), v.maxLength(8192)),
)

/** `session`: each session has a connection, and where the server is local a process, of its own. Absent: all share one. */
const Sharing = v.picklist(['unit', 'session'])
const hostPath = v.pipe(
  v.string(),
  v.maxLength(4096),
  v.regex(/^\/[^\0-\x1f:,"]*$/, 'expected an absolute path without a colon, comma, quote or control character'),
  v.check((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'expected a path without "." and ".."'),
)

/** What the engine or the entry itself puts there. */
const taken = /^\/(?:(?:data|dev|proc|sys|tmp)(?:\/.*)?)?$/

/** A directory or file of the host that a local server in a container is lent. */
export const Volume = v.strictObject({
  source: hostPath,
  target: v.pipe(
    hostPath,
    v.check((path) => !taken.test(path), 'expected a path apart from /, /data, /dev, /proc, /sys and /tmp'),
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
  /** Of what the reference named when the entry was saved: set by the unit, and what is run from then on. */
  imageID: v.optional(ImageID),
  env: v.optional(Variables, {}),
  sharing: v.optional(Sharing),
  /** In a container: paths of the host below those of `SERVICE_MOUNT_ALLOW`. */
  volumes: v.optional(v.pipe(v.array(Volume), v.maxLength(16))),
  /** In a container: a private directory of the server's own at `/data`, which outlives it. */
  data: v.optional(v.boolean()),
})

export const RemoteEntry = v.strictObject({
  transport: v.literal('http'),
  url: v.pipe(v.string(), v.maxLength(2048)),
  headers: v.optional(Headers, {}),
  sharing: v.optional(Sharing),
  /** `public`: no address of this machine, of this house or of this provider is dialled. Always so for what an agent proposed. */
  reach: v.optional(v.picklist(['any', 'public'])),
})

/** A tool server as the operator wrote it: values may hold `${NAME}` references. */
export const CatalogEntry = v.variant('transport', [LocalEntry, RemoteEntry])
export type CatalogEntry = v.InferOutput<typeof CatalogEntry>
export type LocalEntry = v.InferOutput<typeof LocalEntry>
export type RemoteEntry = v.InferOutput<typeof RemoteEntry>

export const Catalog = dictionary(ServerName, CatalogEntry)
export type Catalog = v.InferOutput<typeof Catalog>
