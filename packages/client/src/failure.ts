// Converts failures to `ServiceError`: problem documents, and requests without a response.
import { type Code, codes, isServiceError, Problem, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export interface ErrorResponse {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
  /** The `Retry-After` header. */
  readonly retryAfter: string | null
}

const isCode = (code: string): code is Code => Object.hasOwn(codes, code)

const standard: ReadonlySet<string> = new Set(['type', 'title', 'status', 'detail', 'code', 'hint', 'errors'])

/** Extension members of the problem document, such as `requestId`. */
const readExtra = (problem: Problem, retryAfter: string | null): Record<string, string> => {
  const members = Object.entries(problem).filter(
    (member): member is [string, string] => !standard.has(member[0]) && typeof member[1] === 'string',
  )
  return { ...Object.fromEntries(members), ...(retryAfter !== null && { retryAfter }) }
}

export const toFailure = ({ status, body, retryAfter }: ErrorResponse): ServiceError => {
  const parsed = v.safeParse(Problem, body)
  if (!parsed.success) {
    return new ServiceError('internal', {
      detail: `the response with status ${status} is not a problem document`,
      hint: 'check that the address is that of a unit, and not of a proxy in front of it',
    })
  }
  const { code, detail, hint, errors } = parsed.output
  return new ServiceError(isCode(code) ? code : 'internal', { detail, hint, errors, extra: readExtra(parsed.output, retryAfter) })
}

export interface Explanation {
  readonly detail: string
  readonly hint: string
}

/** Explains why there was no response from this address. */
export type Explain = (error: unknown, address: string) => Explanation

/** The only explanation in a browser, which hides the cause from the page. */
export const explainNoResponse: Explain = (_error, address) => ({
  detail: `no response from a unit at ${address}`,
  hint: 'start it with "npx pnpm@12 start" or "gatehouse", or set another address with SERVICE_API_URL',
})

interface NoResponse {
  readonly address: string
  /** Whether the request timed out. */
  readonly timedOut: boolean
  readonly explain?: Explain | undefined
}

/** Converts a failure before a response. Returns a `ServiceError` as it is. */
export const toNoResponse = (error: unknown, { address, timedOut, explain = explainNoResponse }: NoResponse): ServiceError => {
  if (isServiceError(error)) return error
  if (timedOut) {
    return new ServiceError('deadline', {
      detail: `no response from ${address} in time`,
      hint: 'try again, or set a longer timeout',
      cause: error,
    })
  }
  return new ServiceError('unavailable', { ...explain(error, address), cause: error })
}
