// `model.sock`: the inference paths of the providers, in their own wire formats, and what is written down of each request.
import * as v from 'valibot'

/** What a request on `model.sock` may be refused for, with the HTTP status. */
export const modelErrors = {
  malformed: 400,
  'field-refused': 403,
  'power-refused': 403,
  'path-refused': 404,
  'model-refused': 403,
  'budget-exhausted': 403,
  'too-large': 413,
  busy: 429,
  'rate-limited': 429,
  frozen: 503,
  revoked: 403,
  unavailable: 503,
  'audit-unwritable': 503,
  'provider-refused': 502,
  'provider-error': 502,
  'provider-malformed': 502,
  'provider-unreachable': 502,
  'provider-timeout': 504,
  'provider-leaked-key': 502,
  cancelled: 499,
} as const
export type ModelErrorCode = keyof typeof modelErrors

const ModelErrorName = v.custom<ModelErrorCode>(
  (value) => typeof value === 'string' && Object.hasOwn(modelErrors, value),
  'expected a code',
)

/** One line of `model-calls.jsonl`. Never a word of a request or an answer. */
export const ModelCallRecord = v.strictObject({
  id: v.string(),
  time: v.string(),
  session: v.string(),
  agentGroupID: v.nullable(v.string()),
  /** Empty where the request named none that is known. */
  provider: v.string(),
  model: v.string(),
  /** `unknown`: the process ended while the request ran. */
  outcome: v.picklist(['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown']),
  code: v.optional(ModelErrorName),
  /** HTTP status of the provider; absent where it was not asked or did not answer. */
  status: v.optional(v.number()),
  bytesIn: v.number(),
  bytesOut: v.number(),
  tokensIn: v.number(),
  tokensOut: v.number(),
  /** The provider did not say how many: they are reckoned from the bytes. */
  estimated: v.optional(v.boolean()),
  /** Milliseconds to the first byte of the answer, and to its end. */
  firstByte: v.optional(v.number()),
  duration: v.number(),
})
export type ModelCallRecord = v.InferOutput<typeof ModelCallRecord>
