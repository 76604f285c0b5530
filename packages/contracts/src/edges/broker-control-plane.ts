// Probes and live states of tool servers. The gateway has permitted each call beforehand.
import * as v from 'valibot'
import { ServerName } from '../ids.ts'
import { limits } from '../limits.ts'
import { ServerState, ToolDefinition } from '../registry.ts'
import { call, defineEdge } from './edge.ts'

export const ProbeResult = v.strictObject({
  tools: v.array(ToolDefinition),
  server: v.strictObject({ name: v.string(), version: v.string(), protocol: v.string() }),
  elapsedMs: v.number(),
})
export type ProbeResult = v.InferOutput<typeof ProbeResult>

export const brokerControlPlane = defineEdge({
  server: 'broker',
  caller: 'control-plane',
  calls: {
    probe: call(v.strictObject({ name: ServerName }), ProbeResult, { deadline: limits.probeTime + 2_000, large: true, patient: true }),
    states: call(v.strictObject({}), v.record(v.string(), ServerState)),
  },
  events: {},
})
