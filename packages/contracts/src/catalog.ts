// A tool server as the operator writes it down, and the files that hold such entries.
import * as v from 'valibot'
import { ServerName } from './ids.ts'
import { dictionary } from './json.ts'

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

export const LocalEntry = v.strictObject({
  transport: v.literal('stdio'),
  command: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  args: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(8192))), v.maxLength(256)), []),
  image: v.optional(
    v.pipe(v.string(), v.maxLength(512), v.regex(/^$|^[^-\s][^\s]*$/, 'expected an image reference that does not begin with -')),
  ),
  env: v.optional(Variables, {}),
  sharing: v.optional(Sharing),
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
