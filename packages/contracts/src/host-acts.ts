// What was done to a state directory while its unit was stopped: written there by the one who did it, journaled by the gateway at the next start.
import * as v from 'valibot'

const common = {
  /** By which the gateway knows that it has journaled the act. */
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  at: v.pipe(v.string(), v.isoTimestamp()),
}

export const HostAct = v.variant('stage', [
  /** The unit is frozen until somebody has looked at what came back. */
  v.strictObject({
    ...common,
    stage: v.literal('restored'),
    createdAt: v.string(),
    head: v.strictObject({ seq: v.number(), hash: v.string() }),
    release: v.string(),
  }),
  v.strictObject({ ...common, stage: v.literal('epoch'), epoch: v.number() }),
  /** The admin token was made anew. */
  v.strictObject({ ...common, stage: v.literal('token-create') }),
])
export type HostAct = v.InferOutput<typeof HostAct>

export const HostActs = v.array(HostAct)
