// What the gateway keeps: groups, grants, the catalog, sessions.
import * as v from 'valibot'
import { AgentGroupID, ChangeID, ConversationID, Digest, ServerName, SessionID, Time } from './ids.ts'
import { AgentKind, ToolName } from './kinds/kinds.ts'

export const AgentGroup = v.strictObject({
  id: AgentGroupID,
  name: v.string(),
  agent: AgentKind,
  persona: v.string(),
  createdAt: Time,
  /** The change that made it, or `seed`. */
  origin: v.string(),
})
export type AgentGroup = v.InferOutput<typeof AgentGroup>

export const Grant = v.strictObject({
  agentGroupID: AgentGroupID,
  server: ServerName,
  /** Empty: every tool that the server declares. */
  tools: v.array(ToolName),
  changeID: ChangeID,
  grantedAt: Time,
  state: v.picklist(['active', 'revoked']),
})
export type Grant = v.InferOutput<typeof Grant>

const Variables = v.record(
  v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected a name of A-Z a-z 0-9 _, the first not a digit')),
  v.pipe(v.string(), v.maxLength(8192)),
)
const Headers = v.record(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'expected an HTTP header name')),
  v.pipe(v.string(), v.maxLength(8192)),
)

export const LocalEntry = v.strictObject({
  transport: v.literal('stdio'),
  command: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  args: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(8192))), v.maxLength(256)), []),
  image: v.optional(
    v.pipe(v.string(), v.maxLength(512), v.regex(/^$|^[^-\s][^\s]*$/, 'expected an image reference that does not begin with -')),
  ),
  env: v.optional(Variables, {}),
})

export const RemoteEntry = v.strictObject({
  transport: v.literal('http'),
  url: v.pipe(v.string(), v.maxLength(2048)),
  headers: v.optional(Headers, {}),
})

/** A tool server as the operator wrote it: values may hold `${NAME}` references. */
export const CatalogEntry = v.variant('transport', [LocalEntry, RemoteEntry])
export type CatalogEntry = v.InferOutput<typeof CatalogEntry>
export type LocalEntry = v.InferOutput<typeof LocalEntry>
export type RemoteEntry = v.InferOutput<typeof RemoteEntry>

export const Catalog = v.record(ServerName, CatalogEntry)
export type Catalog = v.InferOutput<typeof Catalog>

export const ServerState = v.strictObject({
  status: v.picklist(['idle', 'connecting', 'up', 'down']),
  /** Class of the last failure, never upstream text. */
  lastError: v.optional(v.string()),
  nextAttemptAt: v.optional(Time),
  tools: v.optional(v.number()),
})
export type ServerState = v.InferOutput<typeof ServerState>

export const ToolDefinition = v.strictObject({
  name: v.string(),
  title: v.optional(v.string()),
  description: v.optional(v.string()),
  inputSchema: v.record(v.string(), v.unknown()),
  outputSchema: v.optional(v.record(v.string(), v.unknown())),
  annotations: v.optional(v.record(v.string(), v.unknown())),
})
export type ToolDefinition = v.InferOutput<typeof ToolDefinition>

export const surfaces = ['tools'] as const
export const Surface = v.picklist(surfaces)
export type Surface = v.InferOutput<typeof Surface>

/** Host ids that a sandbox of this session runs as; absent where the unit itself is not root. */
export const HostIdentity = v.strictObject({ uid: v.number(), gid: v.number() })
export type HostIdentity = v.InferOutput<typeof HostIdentity>

export const Session = v.strictObject({
  id: SessionID,
  agentGroupID: AgentGroupID,
  conversationID: ConversationID,
  identity: v.optional(HostIdentity),
  /** Surfaces that must be reported before a launch. */
  expected: v.array(Surface),
  reported: v.array(Surface),
  openedAt: Time,
})
export type Session = v.InferOutput<typeof Session>

export const Observation = v.strictObject({
  server: ServerName,
  entryDigest: Digest,
  at: Time,
  tools: v.array(ToolDefinition),
})
export type Observation = v.InferOutput<typeof Observation>
