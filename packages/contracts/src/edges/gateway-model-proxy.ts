// What the model proxy may ask: may this session use this model, now; which sessions need a socket.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, SessionID } from '../ids.ts'
import { ModelChoice } from '../kinds/agents.ts'
import { HostIdentity } from '../registry.ts'

export const ModelVerdict = v.variant('allowed', [
  v.strictObject({
    allowed: v.literal(true),
    agentGroupID: AgentGroupID,
    /** What the provider may do by itself. */
    powers: v.array(v.string()),
    /** Absent: as many as it likes. */
    tokensPerDay: v.optional(v.number()),
  }),
  v.strictObject({
    allowed: v.literal(false),
    agentGroupID: v.nullable(AgentGroupID),
    code: v.picklist(['frozen', 'model-refused', 'revoked']),
    /** One sentence for the agent. */
    reason: v.string(),
  }),
])
export type ModelVerdict = v.InferOutput<typeof ModelVerdict>

/** What holds for a session's group now: enough to judge again what runs. */
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
    /** Those whose agent uses a model. */
    sessions: call(v.strictObject({}), v.array(OpenSession), { patient: true, large: true }),
    surfaceReady: call(v.strictObject({ session: SessionID, surface: v.literal('model') }), v.strictObject({}), { patient: true }),
  },
  events: {
    'session-opened': OpenSession,
    'session-closed': v.strictObject({ session: SessionID }),
    /** A group's model, limits or permissions are others: what runs is judged again. */
    'permissions-changed': v.strictObject({ agentGroupID: AgentGroupID }),
    'freeze-changed': v.strictObject({}),
  },
})
