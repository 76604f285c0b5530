// What went wrong, as the one error that the house knows: a problem document, or no answer at all.
import { type Code, codes, isServiceError, Problem, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export interface RefusedAnswer {
  readonly status: number
  /** Undefined where it was not JSON. */
  readonly body: unknown
  /** The header. */
  readonly retryAfter: string | null
}

const isCode = (code: string): code is Code => Object.hasOwn(codes, code)

const standard: ReadonlySet<string> = new Set(['type', 'title', 'status', 'detail', 'code', 'hint', 'errors'])

/** Members beyond the standard ones, `requestId` among them. */
const extraOf = (problem: Problem, retryAfter: string | null): Record<string, string> => {
  const members = Object.entries(problem).filter(
    (member): member is [string, string] => !standard.has(member[0]) && typeof member[1] === 'string',
  )
  return { ...Object.fromEntries(members), ...(retryAfter !== null && { retryAfter }) }
}

export const toFailure = ({ status, body, retryAfter }: RefusedAnswer): ServiceError => {
  const parsed = v.safeParse(Problem, body)
  if (!parsed.success) {
    return new ServiceError('internal', {
      detail: `expected a problem document with status ${status}, got something else`,
      hint: 'check that the address is that of a unit and not of something in front of it',
    })
  }
  const { code, detail, hint, errors } = parsed.output
  return new ServiceError(isCode(code) ? code : 'internal', { detail, hint, errors, extra: extraOf(parsed.output, retryAfter) })
}

export interface Explanation {
  readonly detail: string
  readonly hint: string
}

/** Why there was no answer of this address, as far as the error tells it. */
export type Explain = (error: unknown, address: string) => Explanation

/** A browser tells a page no more than this. */
export const noAnswer: Explain = (_error, address) => ({
  detail: `expected a unit at ${address}, got no answer`,
  hint: 'start it with "npx pnpm@12 start" or "gatehouse", or name another address with SERVICE_API_URL',
})

interface Reach {
  readonly address: string
  /** The time was over. */
  readonly late: boolean
  readonly explain?: Explain | undefined
}

/** A failure before there was an answer. */
export const toUnreached = (error: unknown, { address, late, explain = noAnswer }: Reach): ServiceError => {
  if (isServiceError(error)) return error
  if (late) {
    return new ServiceError('deadline', {
      detail: `expected an answer of ${address} in time, got none`,
      hint: 'try again, or allow more time',
      cause: error,
    })
  }
  return new ServiceError('unavailable', { ...explain(error, address), cause: error })
}
