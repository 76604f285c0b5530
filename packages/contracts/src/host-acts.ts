// Host operations on the state directory of a stopped unit. The operation stores them there, and the gateway journals them at the
// next start.
import * as v from 'valibot'

const common = {
  /** Identifies the act, so that the gateway journals it only once. */
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  at: v.pipe(v.string(), v.isoTimestamp()),
}

export const HostAct = v.variant('stage', [
  /** The unit stays frozen until a person has reviewed the restored state. */
  v.strictObject({
    ...common,
    stage: v.literal('restored'),
    createdAt: v.string(),
    head: v.strictObject({ seq: v.number(), hash: v.string() }),
    release: v.string(),
  }),
  v.strictObject({ ...common, stage: v.literal('epoch'), epoch: v.number() }),
  /** A new admin token was created. */
  v.strictObject({ ...common, stage: v.literal('token-create') }),
])
export type HostAct = v.InferOutput<typeof HostAct>

export const HostActs = v.array(HostAct)
