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

interface Reach {
  readonly address: string
  /** The time was over. */
  readonly late: boolean
}

/** A failure before there was an answer. */
export const toUnreached = (error: unknown, { address, late }: Reach): ServiceError => {
  if (isServiceError(error)) return error
  if (late) {
    return new ServiceError('deadline', {
      detail: `expected an answer of ${address} in time, got none`,
      hint: 'try again, or allow more time',
      cause: error,
    })
  }
  return new ServiceError('unavailable', { ...explain(codeOf(error), address), cause: error })
}

/** The code of what the system said, wherever in the chain of causes it stands. */
const codeOf = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return ''
}

const tlsCodes = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|ERR_TLS_CERT)/

const explain = (code: string, address: string): { detail: string; hint: string } => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { detail: `expected a host at ${address}, its name is not known (${code})`, hint: 'check the name in SERVICE_API_URL or --addr' }
  }
  if (tlsCodes.test(code)) {
    return {
      detail: `expected a certificate for ${address} that can be trusted, got another (${code})`,
      hint: 'name the authority that signed it in SERVICE_CA_FILE; a certificate that is out of date or of another name must be renewed',
    }
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return { detail: `expected TLS at ${address}, got something else (${code})`, hint: 'a unit itself speaks http: is this its address?' }
  }
  if (code.startsWith('HPE_') || code === 'ECONNRESET') {
    return { detail: `expected HTTP at ${address}, the connection broke (${code})`, hint: 'check the port, and whether it wants https' }
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { detail: `expected a way to ${address}, found none (${code})`, hint: 'check the network, or reach it through HTTPS_PROXY' }
  }
  if (code.startsWith('ERR_PROXY')) {
    return {
      detail: `expected the proxy to lead to ${address}, it did not (${code})`,
      hint: 'check HTTPS_PROXY, or name the host in NO_PROXY',
    }
  }
  return {
    detail: `expected a unit at ${address}, got no answer`,
    hint: 'start it with "npx pnpm@12 start" or "gatehouse", or name another address with SERVICE_API_URL',
  }
}
