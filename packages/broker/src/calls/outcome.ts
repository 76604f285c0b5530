// The outcome of a call: the result that the agent reads and the status of its record, and the message of every refusal.
import { type CallRecord, jsonBounds, limits, type ToolErrorCode, type ToolResult } from '@gatehouse/contracts'
import { describeJsonFault, fullName, type ToolAddress } from '@gatehouse/kernel'
import type { Redactor } from '../secrets/redact.ts'

export interface Outcome {
  readonly address: ToolAddress
  readonly status: CallRecord['status']
  readonly code?: ToolErrorCode
  readonly result: ToolResult
  /** Removes the secrets of the answering server's entry. */
  readonly redactor?: Redactor
}

/** The result without secrets, and as JSON. */
export const writeResult = ({ result, redactor }: Outcome): { readonly result: ToolResult; readonly text: string } => {
  const text = JSON.stringify(result)
  const clean = redactor?.json(result, text) ?? result
  return { result: clean, text: clean === result ? text : JSON.stringify(clean) }
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

/** The status that a record has for this code. */
export const getRecordStatus = (code: ToolErrorCode): CallRecord['status'] => statuses[code] ?? 'error'

interface Failure {
  readonly message: string
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** The outcome of a failed call, with a message that a model can act on. */
export const buildFailure = (address: ToolAddress, code: ToolErrorCode, { message, retryAfter }: Failure): Outcome => ({
  address,
  status: getRecordStatus(code),
  code,
  result: {
    content: [{ type: 'text', text: message }],
    isError: true,
    error: { code, message, ...(retryAfter !== undefined && { retryAfter }) },
  },
})

type Refusal = Exclude<ToolErrorCode, 'upstream-error'>

const requestHint = 'ask for it with request_capability_change, kind mcp_access, and wait for approval'

/** An agent must know this before it retries, for example a payment. */
export const unknownEffect = 'whether the call took effect is unknown'
const notMade = 'the call was not made'

interface RefusalOptions {
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** The server may have got the call. */
  readonly wasSent?: boolean
  /** Why the server cannot be used, where a person can do something about it. */
  readonly login?: 'needed' | 'too-narrow'
  /** The limit that the answer is over, as the end of a sentence. */
  readonly excess?: string
}

type MessageBuilder = (name: string, wasSent: boolean, options: RefusalOptions) => string

const largeAnswer = describeJsonFault('bytes', jsonBounds.upstreamMessage)

/** They tell an agent what it can do next and nothing about the host: a missing server and one without a grant have the same message. */
const messages: Record<Refusal, MessageBuilder> = {
  'not-granted': (name) => `${name}: this agent has no grant for the tool; ${requestHint}`,
  revoked: (name, wasSent) => `${name}: the grant for the tool was revoked${wasSent ? `; ${unknownEffect}` : ''}; ${requestHint}`,
  frozen: (name, wasSent) => `${name}: tool calls are stopped by an operator until further notice${wasSent ? `; ${unknownEffect}` : ''}`,
  'not-declared': (name) => `${name}: the server does not offer this tool now; list the tools again`,
  'definition-changed': (name) => `${name}: the definition of the tool changed after approval; a human has to approve it again`,
  'server-unavailable': (name, wasSent, { login }) => {
    if (login === 'needed') return `${name}: the tool server needs login; ${notMade}; a person has to log in again`
    if (login === 'too-narrow')
      return `${name}: the login at the tool server does not allow this; ${notMade}; a person has to log in for more`
    return wasSent
      ? `${name}: the tool server was lost before it answered; ${unknownEffect}`
      : `${name}: the tool server cannot be used now; try again later`
  },
  timeout: (name, wasSent) =>
    `${name}: no answer within ${limits.callTime / 1000} s; ${wasSent ? unknownEffect : `${notMade}; try again later`}`,
  cancelled: (name, wasSent) => `${name}: the call was cancelled; ${wasSent ? unknownEffect : notMade}`,
  'too-large': (name, _, { excess = largeAnswer }) => `${name}: the answer ${excess}; ask for less`,
  busy: (name) => `${name}: too many calls wait for this server; try again in a moment`,
  'rate-limited': (name, _, { retryAfter }) =>
    `${name}: this agent reached its limit of calls per minute; ${notMade}; try again ${retryAfter === undefined ? 'in a moment' : `in ${retryAfter} s`}`,
  'input-required-unsupported': (name) => `${name}: the tool asks for input in the middle of the call, which is not supported here`,
  'audit-unwritable': (name) => `${name}: the call cannot be recorded; ${unknownEffect}; an operator has to look at the unit`,
}

export const refuse = (address: ToolAddress, code: Refusal, options: RefusalOptions = {}): Outcome =>
  buildFailure(address, code, {
    message: messages[code](fullName(address), options.wasSent === true, options),
    retryAfter: options.retryAfter,
  })

/** Refuses a name that belongs to no server. */
export const refuseName = (name: string): Outcome =>
  buildFailure({ server: '', tool: name }, 'not-granted', { message: messages['not-granted'](name, false, {}) })
