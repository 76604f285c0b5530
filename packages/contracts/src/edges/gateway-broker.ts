// What the broker may ask: is this call allowed, now; what is configured; which sessions need a socket.
import * as v from 'valibot'
import { CatalogEntry } from '../catalog.ts'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, Digest, ServerName, SessionID } from '../ids.ts'
import { dictionary } from '../json.ts'
import { ToolName } from '../kinds/servers.ts'
import { HostIdentity, Pinning, ToolDefinition } from '../registry.ts'

export const Verdict = v.variant('allowed', [
  v.strictObject({
    allowed: v.literal(true),
    agentGroupID: AgentGroupID,
    /** The definition must have this digest when the call is sent; absent where any will do. */
    pin: v.optional(Digest),
    /** What the group may call within a minute; absent where it has no limit of its own. */
    callsPerMinute: v.optional(v.number()),
  }),
  v.strictObject({
    allowed: v.literal(false),
    agentGroupID: v.nullable(AgentGroupID),
    code: v.picklist(['not-granted', 'revoked', 'frozen', 'definition-changed', 'rate-limited']),
    /** Seconds until the same call may be made again; present with `rate-limited`. */
    retryAfter: v.optional(v.number()),
  }),
])
export type Verdict = v.InferOutput<typeof Verdict>

/** A grant as the list of tools needs it. */
export const LiveGrant = v.strictObject({
  server: ServerName,
  /** Empty: all. */
  tools: v.array(ToolName),
  /** Digests of the definitions that may be shown and called; absent until the first listing after the approval. */
  pins: v.optional(dictionary(v.string(), Digest)),
  /** No further call is allowed, so nothing of it is shown; what runs goes on. */
  exhausted: v.optional(v.boolean()),
})
export type LiveGrant = v.InferOutput<typeof LiveGrant>

/** What was seen of the server is told by its `digest`; a connection is made anew when the `tag` is another. */
const StoredEntry = v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest, tag: Digest })

const OpenSession = v.strictObject({ session: SessionID, agentGroupID: AgentGroupID, identity: v.optional(HostIdentity) })

export const gatewayBroker = defineEdge({
  server: 'gateway',
  caller: 'broker',
  calls: {
    authorize: call(v.strictObject({ session: SessionID, server: v.string(), tool: v.string() }), Verdict, { patient: true }),
    /** The grants of the session's group that hold now. While `frozen` nothing is listed. */
    grants: call(
      v.strictObject({ session: SessionID }),
      v.strictObject({ agentGroupID: v.nullable(AgentGroupID), frozen: v.boolean(), pinning: Pinning, grants: v.array(LiveGrant) }),
      { patient: true },
    ),
    /** Whom a client token is for: its own session, never one that the caller names. Throws `unauthorized` or `forbidden`. */
    clientSession: call(v.strictObject({ token: Digest }), v.strictObject({ session: SessionID, agentGroupID: AgentGroupID }), {
      patient: true,
    }),
    /** Entries with their stored values: `${NAME}` is expanded by the broker at connect time. */
    catalog: call(v.strictObject({}), v.array(StoredEntry), { patient: true, large: true }),
    sessions: call(v.strictObject({}), v.array(OpenSession), { patient: true, large: true }),
    surfaceReady: call(v.strictObject({ session: SessionID, surface: v.literal('tools') }), v.strictObject({}), { patient: true }),
    observed: call(v.strictObject({ server: ServerName, entryDigest: Digest, tools: v.array(ToolDefinition) }), v.strictObject({}), {
      patient: true,
      large: true,
    }),
  },
  events: {
    'session-opened': OpenSession,
    'session-closed': v.strictObject({ session: SessionID }),
    'catalog-changed': v.strictObject({}),
    'grant-changed': v.strictObject({ agentGroupID: AgentGroupID, server: ServerName }),
    /** A freeze was set or lifted, for the unit or for a group: calls that run are judged again. */
    'freeze-changed': v.strictObject({}),
    'observation-wanted': v.strictObject({ server: ServerName }),
  },
})
