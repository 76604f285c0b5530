// What travels beside the parameters of each call.
import * as v from 'valibot'

const Meta = v.strictObject({
  /** Counts the calls of one connection: what a cancellation names. */
  call: v.number(),
  requestId: v.pipe(v.string(), v.maxLength(128)),
  traceparent: v.optional(v.pipe(v.string(), v.maxLength(128))),
  /** Milliseconds that the caller waits. */
  deadline: v.pipe(v.number(), v.minValue(0), v.maxValue(2 ** 31 - 1)),
})
export type Meta = v.InferOutput<typeof Meta>

export const readMeta = (value: unknown): Meta | undefined => {
  const parsed = v.safeParse(Meta, value)
  return parsed.success ? parsed.output : undefined
}

/** A notification of the caller: it no longer waits for this call. No contract can hold the name. */
export const cancelMethod = '$cancel'
