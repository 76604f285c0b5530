// The supervisor's door into every process, and the control plane's door into the supervisor: how it goes, in two calls.
import * as v from 'valibot'
import { call, defineEdge } from './edge.ts'

export const Health = v.strictObject({
  status: v.picklist(['ready', 'degraded', 'failed']),
  /** Names of what is broken while the process still serves. */
  degraded: v.array(v.string()),
  /** Facts for people: driver, counts, the reason of a refusal. */
  facts: v.record(v.string(), v.unknown()),
})
export type Health = v.InferOutput<typeof Health>

/** A registry as `getMetricsAsJSON` of prom-client gives it. */
const Metrics = v.array(v.record(v.string(), v.unknown()))

const life = {
  health: call(v.strictObject({}), Health, { deadline: 1_000 }),
  metrics: call(v.strictObject({}), Metrics, { deadline: 2_000, large: true, patient: true }),
}

export const services = ['gateway', 'broker', 'model-proxy', 'runner', 'control-plane'] as const
export type Service = (typeof services)[number]

export const lifeEdge = (server: Service) => defineEdge({ server, caller: 'supervisor', calls: life, events: {} })

export const ProcessState = v.strictObject({
  name: v.string(),
  pid: v.optional(v.number()),
  state: v.picklist(['starting', 'ready', 'down', 'stopping']),
  restarts: v.number(),
  /** RFC 3339; when the present process became ready. */
  since: v.optional(v.string()),
})
export type ProcessState = v.InferOutput<typeof ProcessState>

export const supervisorControlPlane = defineEdge({
  server: 'supervisor',
  caller: 'control-plane',
  calls: {
    health: call(v.strictObject({}), v.strictObject({ processes: v.array(ProcessState), services: v.record(v.string(), Health) }), {
      deadline: 2_000,
    }),
    metrics: call(v.strictObject({}), v.record(v.string(), Metrics), { deadline: 3_000, large: true }),
  },
  events: {},
})
