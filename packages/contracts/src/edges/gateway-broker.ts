// What the broker may ask: is this call allowed, now; what is configured; which sessions need a socket.
import * as v from 'valibot'
import { AgentGroupID, Digest, ServerName, SessionID } from '../ids.ts'
import { ToolName } from '../kinds/kinds.ts'
import { CatalogEntry, HostIdentity, ToolDefinition } from '../registry.ts'
import { call, defineEdge } from './edge.ts'

export const Verdict = v.variant('allowed', [
  v.strictObject({ allowed: v.literal(true), agentGroupID: AgentGroupID }),
  v.strictObject({
    allowed: v.literal(false),
    agentGroupID: v.nullable(AgentGroupID),
    code: v.picklist(['not-granted', 'revoked', 'frozen']),
  }),
])
export type Verdict = v.InferOutput<typeof Verdict>

const OpenSession = v.strictObject({ session: SessionID, agentGroupID: AgentGroupID, identity: v.optional(HostIdentity) })

export const gatewayBroker = defineEdge({
  server: 'gateway',
  caller: 'broker',
  calls: {
    authorize: call(v.strictObject({ session: SessionID, server: v.string(), tool: v.string() }), Verdict, { patient: true }),
    /** The active grants of the session's group; empty `tools` means all. */
    grants: call(
      v.strictObject({ session: SessionID }),
      v.strictObject({
        agentGroupID: v.nullable(AgentGroupID),
        grants: v.array(v.strictObject({ server: ServerName, tools: v.array(ToolName) })),
      }),
      { patient: true },
    ),
    /** Entries with their stored values: `${NAME}` is expanded by the broker at connect time. */
    catalog: call(v.strictObject({}), v.array(v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest })), {
      patient: true,
      large: true,
    }),
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
    'observation-wanted': v.strictObject({ server: ServerName }),
  },
})
