// Errors as they cross the wire: what a caller may know, never a stack, never the text of an unknown one.
import { type Code, codes, isServiceError, ServiceError, toServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

const isCode = (value: string): value is Code => Object.hasOwn(codes, value)

const WireError = v.strictObject({
  code: v.pipe(v.string(), v.check(isCode)),
  detail: v.string(),
  hint: v.optional(v.string()),
  errors: v.optional(v.array(v.strictObject({ pointer: v.string(), detail: v.string() }))),
  extra: v.optional(v.record(v.string(), v.string())),
})

/** Members that are undefined vanish in JSON. */
export const toWireError = (error: unknown): object => {
  const { code, detail, hint, errors, extra } = toServiceError(error)
  return { code, detail, hint, errors, extra }
}

/** An error that this end made is itself; anything else that is no wire error is `internal`. */
export const fromWireError = (value: unknown): ServiceError => {
  if (isServiceError(value)) return value
  const parsed = v.safeParse(WireError, value)
  if (!parsed.success) return toServiceError(value)
  const { code, ...options } = parsed.output
  return new ServiceError(isCode(code) ? code : 'internal', options)
}
