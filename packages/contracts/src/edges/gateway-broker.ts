// Calls of the broker: authorization of tool calls, the catalog, and the sessions that need a socket.
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
    /** The definition must have this digest when the call is sent; absent if any definition is allowed. */
    pin: v.optional(Digest),
    /** Calls per minute that the group may make; absent if it has no limit. */
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

/** An active grant, for the list of tools. */
export const LiveGrant = v.strictObject({
  server: ServerName,
  /** Empty for all tools. */
  tools: v.array(ToolName),
  /** Digests of the definitions that may be shown and called; absent until the first listing after the approval. */
  pins: v.optional(dictionary(v.string(), Digest)),
  /** No further call is allowed, so its tools are not listed. Running calls continue. */
  exhausted: v.optional(v.boolean()),
})
export type LiveGrant = v.InferOutput<typeof LiveGrant>

/** Observations refer to the `digest`. The connection is reopened when the `tag` changes. */
const StoredEntry = v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest, tag: Digest })

const OpenSession = v.strictObject({ session: SessionID, agentGroupID: AgentGroupID, identity: v.optional(HostIdentity) })

const login = {
  server: ServerName,
  /** Who did it; absent where the broker did. */
  principal: v.optional(v.string()),
  grant: v.picklist(['authorization_code', 'client_credentials']),
  issuer: v.string(),
  /** SHA-256 of the access token. */
  token: Digest,
}

export const gatewayBroker = defineEdge({
  server: 'gateway',
  caller: 'broker',
  calls: {
    authorize: call(v.strictObject({ session: SessionID, server: v.string(), tool: v.string() }), Verdict, { patient: true }),
    /** The active grants of the session's group. During a freeze no tool is listed. */
    grants: call(
      v.strictObject({ session: SessionID }),
      v.strictObject({ agentGroupID: v.nullable(AgentGroupID), frozen: v.boolean(), pinning: Pinning, grants: v.array(LiveGrant) }),
      { patient: true },
    ),
    /** The session of a client token. Throws `unauthorized` or `forbidden`. */
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
    /** Journals that the unit is logged in at a remote server from now on; it is not before this resolves. */
    loggedIn: call(v.strictObject({ ...login, scopes: v.array(v.string()) }), v.strictObject({}), { patient: true }),
    loggedOut: call(v.strictObject({ ...login, cause: v.picklist(['asked', 'entry-changed', 'refused']) }), v.strictObject({}), {
      patient: true,
    }),
  },
  events: {
    'session-opened': OpenSession,
    'session-closed': v.strictObject({ session: SessionID }),
    'catalog-changed': v.strictObject({}),
    'grant-changed': v.strictObject({ agentGroupID: AgentGroupID, server: ServerName }),
    /** A freeze of the unit or of a group was set or lifted. Running calls are checked again. */
    'freeze-changed': v.strictObject({}),
    'observation-wanted': v.strictObject({ server: ServerName }),
  },
})
