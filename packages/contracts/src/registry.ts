// What the gateway keeps: groups, wirings, grants, sessions, what servers were seen to declare.
import * as v from 'valibot'
import { ImageID } from './catalog.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, ServerName, SessionID, Time } from './ids.ts'
import { dictionary, JsonObject } from './json.ts'
import { AgentKind, BuiltinTool, defaultTools, GroupLimits, Member, ModelChoice, Mount, WiringTerms } from './kinds/agents.ts'
import { PackageName } from './kinds/packages.ts'
import { ToolName } from './kinds/servers.ts'

/** Device and inode of a mount's source as they were when it was approved, in decimal. */
export const PinnedMount = v.strictObject({ ...Mount.entries, device: v.optional(v.string()), inode: v.optional(v.string()) })
export type PinnedMount = v.InferOutput<typeof PinnedMount>

/** The tree that was approved: its change has the lock. */
const InstalledPackages = v.strictObject({ npm: v.array(PackageName), tree: Digest, changeID: ChangeID })

export const AgentGroup = v.strictObject({
  id: AgentGroupID,
  name: v.string(),
  agent: AgentKind,
  persona: v.string(),
  model: v.optional(ModelChoice),
  tools: v.optional(v.array(BuiltinTool), () => [...defaultTools]),
  members: v.optional(v.array(Member), []),
  limits: v.optional(GroupLimits, {}),
  providerTools: v.optional(v.array(v.string()), []),
  mounts: v.optional(v.array(PinnedMount), []),
  packages: v.optional(InstalledPackages),
  createdAt: Time,
  /** The change that made it, or `seed`. */
  origin: v.string(),
})
export type AgentGroup = v.InferOutput<typeof AgentGroup>

/** One address of a channel leads to one group. */
export const Wired = v.strictObject({ ...WiringTerms.entries, agentGroupID: AgentGroupID, changeID: ChangeID })
export type Wired = v.InferOutput<typeof Wired>

export const pinnings = ['warn', 'refuse', 'strict'] as const
export const Pinning = v.picklist(pinnings)
export type Pinning = v.InferOutput<typeof Pinning>

export const Grant = v.strictObject({
  agentGroupID: AgentGroupID,
  server: ServerName,
  /** Empty: every tool that the server declares. */
  tools: v.array(ToolName),
  /** The catalog entry that the approver saw; null where that is not known. */
  entryDigest: v.optional(v.nullable(Digest), null),
  /** Digest of each tool's definition as it was approved. */
  pins: v.optional(dictionary(v.string(), Digest), {}),
  /** Where the pins come from; `none` until the first listing after an approval without evidence. */
  pinned: v.optional(v.picklist(['approval', 'first-listing', 'none']), 'none'),
  /** Tools that were not there then, and are pinned as they were first seen. */
  added: v.optional(v.array(v.string())),
  changeID: ChangeID,
  grantedAt: Time,
  expiresAt: v.optional(Time),
  maxCalls: v.optional(v.number()),
  /** `suspended`: the server became another under `strict` pinning; a new approval revives it. */
  state: v.picklist(['active', 'revoked', 'suspended']),
})
export type Grant = v.InferOutput<typeof Grant>

/** A grant with what has become of it since. */
export const GrantView = v.strictObject({
  ...Grant.entries,
  calls: v.number(),
  expired: v.boolean(),
  exhausted: v.boolean(),
  /** The catalog entry is another than the approved one. */
  serverChanged: v.boolean(),
  /** Tools whose definition is another than the approved one. */
  changed: v.array(v.string()),
  /** Covered tools that were not there at the approval. */
  added: v.array(v.string()),
})
export type GrantView = v.InferOutput<typeof GrantView>

/** A step on the way to the verdict over one call. */
const ExplainStep = v.strictObject({ check: v.string(), passed: v.boolean(), detail: v.string() })
export const Explanation = v.strictObject({
  agentGroupID: AgentGroupID,
  tool: v.string(),
  allowed: v.boolean(),
  /** As a call would answer it. */
  code: v.optional(v.string()),
  /** One sentence for a human. */
  summary: v.string(),
  steps: v.array(ExplainStep),
  grant: v.optional(GrantView),
})
export type Explanation = v.InferOutput<typeof Explanation>

/** The image that a local server runs in. */
export const ServerImage = v.strictObject({
  id: ImageID,
  /** The entry names this id; without it the server runs whatever the reference names when it is started. */
  pinned: v.boolean(),
  /** What the reference names now, where that is not the pinned image; null where it names nothing on this host. */
  moved: v.optional(v.nullable(ImageID)),
})
export type ServerImage = v.InferOutput<typeof ServerImage>

export const ServerState = v.strictObject({
  status: v.picklist(['idle', 'connecting', 'up', 'down']),
  /** Class of the last failure, never upstream text. */
  lastError: v.optional(v.string()),
  nextAttemptAt: v.optional(Time),
  tools: v.optional(v.number()),
  image: v.optional(ServerImage),
})
export type ServerState = v.InferOutput<typeof ServerState>

export const ToolDefinition = v.strictObject({
  name: v.string(),
  title: v.optional(v.string()),
  description: v.optional(v.string()),
  inputSchema: JsonObject,
  outputSchema: v.optional(JsonObject),
  annotations: v.optional(JsonObject),
})
export type ToolDefinition = v.InferOutput<typeof ToolDefinition>

const surfaces = ['tools', 'model'] as const
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
  /** Of a client outside of the unit: nothing is launched for it. */
  external: v.optional(v.literal(true)),
})
export type Session = v.InferOutput<typeof Session>

export const Observation = v.strictObject({
  server: ServerName,
  entryDigest: Digest,
  at: Time,
  tools: v.array(ToolDefinition),
})
export type Observation = v.InferOutput<typeof Observation>

/** A path of the host as the runner found it. `real` has no link in it; absent where there is nothing. */
export const MountSighting = v.strictObject({
  source: v.string(),
  at: Time,
  real: v.optional(v.string()),
  type: v.optional(v.picklist(['directory', 'file', 'socket', 'other'])),
  device: v.optional(v.string()),
  inode: v.optional(v.string()),
  /** Host uid of its owner, and its permission bits in octal. */
  owner: v.optional(v.number()),
  mode: v.optional(v.string()),
})
export type MountSighting = v.InferOutput<typeof MountSighting>
