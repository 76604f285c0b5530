// The last hour of the unit in numbers, for plots: what happened between two readings of its metrics.
import * as v from 'valibot'
import { Time } from '../ids.ts'

const Count = v.pipe(v.number(), v.minValue(0))

/** Counts are of the time since the sample before; gauges are of the moment. */
export const StatusSample = v.strictObject({
  at: Time,
  /** Lists and calls of tools, and those among them that did not go well. */
  calls: Count,
  callErrors: Count,
  /** Milliseconds; absent where nothing was called. */
  callP50: v.optional(Count),
  callP95: v.optional(Count),
  modelRequests: Count,
  modelErrors: Count,
  modelTokens: Count,
  decisions: Count,
  held: Count,
  sandboxes: Count,
})
export type StatusSample = v.InferOutput<typeof StatusSample>

export const StatusHistory = v.strictObject({
  /** Seconds between two samples. */
  every: v.number(),
  /** Oldest first, at most an hour of them; none from before the present start of the control plane. */
  samples: v.array(StatusSample),
})
export type StatusHistory = v.InferOutput<typeof StatusHistory>
