// What travels beside parameters and results: call metadata, errors, and field issues.
import { type Code, codes, type FieldIssue, isServiceError, ServiceError, toPointer, toServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export interface Meta {
  /** Counts the calls of one connection: what a cancellation names. */
  readonly call: number
  /** Milliseconds that the caller waits. */
  readonly deadline: number
  readonly requestId: string
  readonly traceparent?: string | undefined
}

/** Longest id of a request and longest `traceparent`. */
const maxMetaText = 128
const latest = 2 ** 31 - 1

export const writeMeta = ({ call, deadline, requestId, traceparent }: Meta): unknown[] =>
  traceparent === undefined ? [call, deadline, requestId] : [call, deadline, requestId, traceparent]

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= maxMetaText

/** Undefined when it is not what `writeMeta` writes. */
export const readMeta = ([call, deadline, requestId, traceparent, ...more]: readonly unknown[]): Meta | undefined => {
  if (typeof call !== 'number' || !isText(requestId) || more.length > 0) return undefined
  if (typeof deadline !== 'number' || !(deadline >= 0 && deadline <= latest)) return undefined
  return traceparent === undefined || isText(traceparent) ? { call, deadline, requestId, traceparent } : undefined
}

/** A notification of the caller: it no longer waits for this call. No contract can hold the name. */
export const cancelMethod = '$cancel'

/** Errors as they cross the wire: what a caller may know, never a stack, never the text of an unknown one. */
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

/** What is wrong with a value, field by field, for whoever sent it. Names fields and types, never the value. */
const maxIssues = 32

const pointerOf = (issue: v.BaseIssue<unknown>): string => toPointer((issue.path ?? []).map(({ key }) => key))

const got = (received: string): string => {
  if (received === 'undefined') return 'nothing'
  return received.startsWith('"') ? 'another text' : received
}

/** Own messages are kept; those of the library would quote what was got. */
const detailOf = (issue: v.BaseIssue<unknown>): string => {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  if (issue.expected === 'never') return 'expected no such member'
  return `expected ${issue.expected ?? 'another value'}, got ${got(issue.received)}`
}

/** JSON Pointers (RFC 6901) into the value that was parsed; at most 32. */
export const fieldIssues = (issues: readonly v.BaseIssue<unknown>[]): FieldIssue[] =>
  issues.slice(0, maxIssues).map((issue) => ({ pointer: pointerOf(issue), detail: detailOf(issue) }))
