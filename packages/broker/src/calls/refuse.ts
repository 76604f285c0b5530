// The words of every refusal. They tell an agent what it may do next, and nothing of the host: a server that does not exist
// and one that is not granted read the same.
import { jsonBounds, limits, type ToolErrorCode } from '@gatehouse/contracts'
import { describeJsonFault, fullName, type ToolAddress } from '@gatehouse/kernel'
import { failed, type Outcome } from './outcome.ts'

type Refusal = Exclude<ToolErrorCode, 'upstream-error'>

const ask = 'ask for it with request_capability_change, kind mcp_access, and wait for a human'

/** What an agent that makes a payment must know before it tries again. */
export const unknownEffect = 'whether the call took effect is unknown'
const notMade = 'the call was not made'

interface RefusalOptions {
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** The server may have got the call. */
  readonly wasSent?: boolean
  /** The limit that the answer is over, as the end of a sentence. */
  readonly excess?: string
}

type Words = (name: string, wasSent: boolean, options: RefusalOptions) => string

const largeAnswer = describeJsonFault('bytes', jsonBounds.upstreamMessage)

const words: Record<Refusal, Words> = {
  'not-granted': (name) => `${name}: this agent has no grant for the tool; ${ask}`,
  revoked: (name, wasSent) => `${name}: the grant for the tool was revoked${wasSent ? `; ${unknownEffect}` : ''}; ${ask}`,
  frozen: (name, wasSent) => `${name}: tool calls are stopped by an operator until further notice${wasSent ? `; ${unknownEffect}` : ''}`,
  'not-declared': (name) => `${name}: the server does not offer this tool now; list the tools again`,
  'definition-changed': (name) => `${name}: the tool is not what was approved any more; a human has to approve it again`,
  'server-unavailable': (name, wasSent) =>
    wasSent
      ? `${name}: the tool server was lost before it answered; ${unknownEffect}`
      : `${name}: the tool server cannot be used now; try again later`,
  timeout: (name, wasSent) =>
    `${name}: no answer within ${limits.callTime / 1000} s; ${wasSent ? unknownEffect : `${notMade}; try again later`}`,
  cancelled: (name, wasSent) => `${name}: the call was given up; ${wasSent ? unknownEffect : notMade}`,
  'too-large': (name, _, { excess = largeAnswer }) => `${name}: the answer ${excess}; ask for less`,
  busy: (name) => `${name}: too many calls wait for this server; try again in a moment`,
  'rate-limited': (name, _, { retryAfter }) =>
    `${name}: this agent reached its limit of calls per minute; ${notMade}; try again ${retryAfter === undefined ? 'in a moment' : `in ${retryAfter} s`}`,
  'input-required-unsupported': (name) => `${name}: the tool asks for input in the middle of the call, which is not supported here`,
  'audit-unwritable': (name) => `${name}: the call cannot be recorded; ${unknownEffect}; an operator has to look at the unit`,
}

export const refuse = (address: ToolAddress, code: Refusal, options: RefusalOptions = {}): Outcome =>
  failed(address, code, { message: words[code](fullName(address), options.wasSent === true, options), retryAfter: options.retryAfter })

/** For what is not the name of a tool of any server. */
export const refuseName = (name: string): Outcome =>
  failed({ server: '', tool: name }, 'not-granted', { message: words['not-granted'](name, false, {}) })
