// The JSON of a command that only does something.
import * as v from 'valibot'

export const Done = v.strictObject({ done: v.literal(true) })
export type Done = v.InferOutput<typeof Done>

export const done: Done = { done: true }
