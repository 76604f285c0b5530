// Calls of the model proxy: authorization of model requests, and the sessions that need a socket.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, SessionID } from '../ids.ts'
import { ModelChoice } from '../kinds/agents.ts'
import { HostIdentity } from '../registry.ts'

export const ModelVerdict = v.variant('allowed', [
  v.strictObject({
    allowed: v.literal(true),
    agentGroupID: AgentGroupID,
    /** Provider tools that the request may use. */
    powers: v.array(v.string()),
    /** Absent if there is no limit. */
    tokensPerDay: v.optional(v.number()),
  }),
  v.strictObject({
    allowed: v.literal(false),
    agentGroupID: v.nullable(AgentGroupID),
    code: v.picklist(['frozen', 'model-refused', 'revoked']),
    /** One sentence for the agent on why it is refused. */
    reason: v.string(),
  }),
])
export type ModelVerdict = v.InferOutput<typeof ModelVerdict>

/** Current model terms of a session's group, to check running requests again. */
export const ModelHolding = v.strictObject({
  agentGroupID: v.nullable(AgentGroupID),
  frozen: v.boolean(),
  model: v.optional(ModelChoice),
  powers: v.array(v.string()),
  tokensPerDay: v.optional(v.number()),
})
export type ModelHolding = v.InferOutput<typeof ModelHolding>

const OpenSession = v.strictObject({ session: SessionID, agentGroupID: AgentGroupID, identity: v.optional(HostIdentity) })

export const gatewayModelProxy = defineEdge({
  server: 'gateway',
  caller: 'model-proxy',
  calls: {
    authorizeModel: call(v.strictObject({ session: SessionID, provider: v.string(), model: v.string() }), ModelVerdict, { patient: true }),
    holding: call(v.strictObject({ session: SessionID }), ModelHolding, { patient: true }),
    /** Sessions whose agent uses a model. */
    sessions: call(v.strictObject({}), v.array(OpenSession), { patient: true, large: true }),
    surfaceReady: call(v.strictObject({ session: SessionID, surface: v.literal('model') }), v.strictObject({}), { patient: true }),
  },
  events: {
    'session-opened': OpenSession,
    'session-closed': v.strictObject({ session: SessionID }),
    /** The model, limits or permissions of a group changed. Running requests are checked again. */
    'permissions-changed': v.strictObject({ agentGroupID: AgentGroupID }),
    'freeze-changed': v.strictObject({}),
  },
})
