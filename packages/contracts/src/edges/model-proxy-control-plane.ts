// Model providers, their checks and the records of model requests. The gateway authorizes each call in advance.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, SessionID, Time } from '../ids.ts'
import { limits } from '../limits.ts'
import { ModelProvider } from '../models.ts'
import { ModelCallRecord } from '../sandbox/model.ts'

export const ProviderView = v.strictObject({
  name: ModelProvider,
  /** Host that requests are sent to. */
  host: v.string(),
  /** Paths on `model.sock`. */
  paths: v.array(v.string()),
})
export type ProviderView = v.InferOutput<typeof ProviderView>

export const ProviderCheck = v.strictObject({
  provider: ModelProvider,
  reachable: v.boolean(),
  /** Absent if the provider was not reached or does not tell. */
  keyAccepted: v.optional(v.boolean()),
  status: v.optional(v.number()),
  elapsedMs: v.number(),
  detail: v.string(),
})
export type ProviderCheck = v.InferOutput<typeof ProviderCheck>

/** Tokens that a group used since midnight UTC. */
export const ModelSpending = v.strictObject({ agentGroupID: v.string(), tokens: v.number(), reserved: v.number() })
export type ModelSpending = v.InferOutput<typeof ModelSpending>

/** A record must match all fields. */
const modelCallFilter = {
  agentGroupIDs: v.optional(v.array(AgentGroupID)),
  session: v.optional(SessionID),
  provider: v.optional(ModelProvider),
  outcome: v.optional(ModelCallRecord.entries.outcome),
  since: v.optional(Time),
  until: v.optional(Time),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limits.pageSizeMost))),
  cursor: v.optional(v.string()),
}

export const ModelCallPage = v.strictObject({ items: v.array(ModelCallRecord), nextCursor: v.optional(v.string()) })

export const modelProxyControlPlane = defineEdge({
  server: 'model-proxy',
  caller: 'control-plane',
  calls: {
    providers: call(v.strictObject({}), v.strictObject({ items: v.array(ProviderView), spending: v.array(ModelSpending) }), {
      patient: true,
    }),
    /** Newest first. */
    records: call(v.strictObject(modelCallFilter), ModelCallPage, { large: true, patient: true }),
    /** Checks a provider by requesting its list of models, which uses no tokens. */
    check: call(v.strictObject({ provider: ModelProvider }), ProviderCheck, { deadline: limits.probeTime + 2_000 }),
  },
  events: {},
})
