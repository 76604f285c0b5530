// Reads a value that the unit stored by the schema of its kind.
import * as v from 'valibot'

/** Undefined for a value of another shape, such as one of a later version. */
export const readAs = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined => {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : undefined
}
