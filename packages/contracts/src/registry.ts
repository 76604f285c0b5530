// The gateway's state: groups, wirings, grants, sessions, observations and inspections.
import * as v from 'valibot'
import { ImageID } from './catalog.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, ServerName, SessionID, Time } from './ids.ts'
import { dictionary, JsonObject } from './json.ts'
import { AgentKind, BuiltinTool, defaultTools, GroupLimits, Member, ModelChoice, Mount, WiringTerms } from './kinds/agents.ts'
import { PackageName } from './kinds/packages.ts'
import { ToolName } from './kinds/servers.ts'

/** A mount with the approved device and inode of its source, in decimal. */
export const PinnedMount = v.strictObject({ ...Mount.entries, device: v.optional(v.string()), inode: v.optional(v.string()) })
export type PinnedMount = v.InferOutput<typeof PinnedMount>

/** The approved packages. The lock is in their change. */
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
  /** The change that created it, or `seed`. */
  origin: v.string(),
})
export type AgentGroup = v.InferOutput<typeof AgentGroup>

/** A channel address that is routed to a group. */
export const Wired = v.strictObject({ ...WiringTerms.entries, agentGroupID: AgentGroupID, changeID: ChangeID })
export type Wired = v.InferOutput<typeof Wired>

export const pinnings = ['warn', 'refuse', 'strict'] as const
export const Pinning = v.picklist(pinnings)
export type Pinning = v.InferOutput<typeof Pinning>

export const Grant = v.strictObject({
  agentGroupID: AgentGroupID,
  server: ServerName,
  /** Empty for every tool that the server declares. */
  tools: v.array(ToolName),
  /** Digest of the catalog entry that the approver saw; null if unknown. */
  entryDigest: v.optional(v.nullable(Digest), null),
  /** Digest of the approved definition of each tool. */
  pins: v.optional(dictionary(v.string(), Digest), {}),
  /** Source of the pins; `none` until the first listing after an approval without evidence. */
  pinned: v.optional(v.picklist(['approval', 'first-listing', 'none']), 'none'),
  /** Tools that are new since the approval, pinned as they were first listed. */
  added: v.optional(v.array(v.string())),
  changeID: ChangeID,
  grantedAt: Time,
  expiresAt: v.optional(Time),
  maxCalls: v.optional(v.number()),
  /** `suspended`: the server was replaced under `strict` pinning. A new approval reactivates it. */
  state: v.picklist(['active', 'revoked', 'suspended']),
})
export type Grant = v.InferOutput<typeof Grant>

/** A grant with its use and its drift since the approval. */
export const GrantView = v.strictObject({
  ...Grant.entries,
  calls: v.number(),
  expired: v.boolean(),
  exhausted: v.boolean(),
  /** Whether the catalog entry differs from the approved one. */
  serverChanged: v.boolean(),
  /** Tools whose definition differs from the approved one. */
  changed: v.array(v.string()),
  /** Covered tools that are new since the approval. */
  added: v.array(v.string()),
})
export type GrantView = v.InferOutput<typeof GrantView>

/** One check of a tool call. */
const ExplainStep = v.strictObject({ check: v.string(), passed: v.boolean(), detail: v.string() })
export const Explanation = v.strictObject({
  agentGroupID: AgentGroupID,
  tool: v.string(),
  allowed: v.boolean(),
  /** The error code that a call would return. */
  code: v.optional(v.string()),
  /** One sentence that describes the result. */
  summary: v.string(),
  steps: v.array(ExplainStep),
  grant: v.optional(GrantView),
})
export type Explanation = v.InferOutput<typeof Explanation>

/** The image of a local server. */
export const ServerImage = v.strictObject({
  id: ImageID,
  /** Whether the entry is pinned to this id. If not, the server runs the current image of its reference. */
  pinned: v.boolean(),
  /** The current image of the reference if it differs from the pinned one; null if there is none on this host. */
  moved: v.optional(v.nullable(ImageID)),
})
export type ServerImage = v.InferOutput<typeof ServerImage>

export const ServerState = v.strictObject({
  /** `needs-login`: an admin has to log in, or the login has ended. */
  status: v.picklist(['idle', 'connecting', 'up', 'down', 'needs-login']),
  /** Category of the last failure. Never text from the server. */
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

/** Host uid and gid of this session's sandboxes; absent if the unit does not run as root. */
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
  /** Set for the session of an external client, which has no sandbox. */
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

/** The runner's inspection of a host path. `real` has all links resolved; absent if the path does not exist. */
export const MountSighting = v.strictObject({
  source: v.string(),
  at: Time,
  real: v.optional(v.string()),
  type: v.optional(v.picklist(['directory', 'file', 'socket', 'other'])),
  device: v.optional(v.string()),
  inode: v.optional(v.string()),
  /** Host uid of the owner, and the permission bits in octal. */
  owner: v.optional(v.number()),
  mode: v.optional(v.string()),
})
export type MountSighting = v.InferOutput<typeof MountSighting>
