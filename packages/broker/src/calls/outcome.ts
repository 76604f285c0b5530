// What came of a call: the result that the agent reads, and what the record says of it.
import type { CallRecord, ToolErrorCode, ToolResult } from '@gatehouse/contracts'
import type { ToolAddress } from '@gatehouse/kernel'
import type { Scrub } from '../secrets/scrub.ts'

export interface Outcome {
  readonly address: ToolAddress
  readonly status: CallRecord['status']
  readonly code?: ToolErrorCode
  readonly result: ToolResult
  /** What the answering server's entry must not let out. */
  readonly scrub?: Scrub
}

const statuses: Partial<Record<ToolErrorCode, CallRecord['status']>> = {
  'not-granted': 'refused',
  'not-declared': 'refused',
  'definition-changed': 'refused',
  revoked: 'refused',
  frozen: 'refused',
  busy: 'refused',
  'rate-limited': 'refused',
  timeout: 'timeout',
  cancelled: 'cancelled',
}

/** How a record calls what came to this code. */
export const statusOf = (code: ToolErrorCode): CallRecord['status'] => statuses[code] ?? 'error'

interface Failure {
  readonly message: string
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** A result that says why there is none, in words that a model can act on. */
export const failed = (address: ToolAddress, code: ToolErrorCode, { message, retryAfter }: Failure): Outcome => ({
  address,
  status: statusOf(code),
  code,
  result: {
    content: [{ type: 'text', text: message }],
    isError: true,
    error: { code, message, ...(retryAfter !== undefined && { retryAfter }) },
  },
})
