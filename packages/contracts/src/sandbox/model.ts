// `model.sock`: errors of model requests and the records that are kept of them. Requests use the wire formats of the providers.
import * as v from 'valibot'

/** Error codes of requests on `model.sock`, with their HTTP status. */
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
  'expected an error code of model requests',
)

/** One line of `model-calls.jsonl`. Never contains text of a request or a response. */
export const ModelCallRecord = v.strictObject({
  id: v.string(),
  time: v.string(),
  session: v.string(),
  agentGroupID: v.nullable(v.string()),
  /** Empty if the request named no known provider. */
  provider: v.string(),
  model: v.string(),
  /** `unknown`: the process ended while the request ran. */
  outcome: v.picklist(['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown']),
  code: v.optional(ModelErrorName),
  /** HTTP status of the provider; absent if no request was sent or no response received. */
  status: v.optional(v.number()),
  bytesIn: v.number(),
  bytesOut: v.number(),
  tokensIn: v.number(),
  tokensOut: v.number(),
  /** Whether the token counts are estimated from the bytes, because the provider reported none. */
  estimated: v.optional(v.boolean()),
  /** Milliseconds to the first byte of the response, and to its end. */
  firstByte: v.optional(v.number()),
  duration: v.number(),
})
export type ModelCallRecord = v.InferOutput<typeof ModelCallRecord>
