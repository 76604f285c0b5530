// The two sides of a change in the shape of its kind, read once; what does not have that shape is shown as it is.
import * as v from 'valibot'

/** Undefined where the value is of another shape, such as one of a later version. */
export const readAs = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined => {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : undefined
}
