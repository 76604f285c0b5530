// The words of every refusal. They tell an agent what it may do next, and nothing of the host: a server that does not exist
// and one that is not granted read the same.
import { limits, type ToolErrorCode } from '@gatehouse/contracts'
import { fullName, type ToolAddress } from '../names/exposed-name.ts'
import { failed, type Outcome } from './outcome.ts'

type Refusal = Exclude<ToolErrorCode, 'upstream-error'>

const ask = 'ask for it with request_capability_change, kind mcp_access, and wait for a human'

const words: Record<Refusal, (name: string) => string> = {
  'not-granted': (name) => `${name}: this agent has no grant for the tool; ${ask}`,
  revoked: (name) => `${name}: the grant for the tool was revoked; ${ask}`,
  frozen: (name) => `${name}: tool calls are stopped by an operator until further notice`,
  'not-declared': (name) => `${name}: the server does not offer this tool now; list the tools again`,
  'definition-changed': (name) => `${name}: the tool is not what was approved any more; a human has to approve it again`,
  'server-unavailable': (name) => `${name}: the tool server cannot be used now; try again later`,
  timeout: (name) => `${name}: no answer within ${limits.callTime / 1000} s; whether the call took effect is unknown`,
  cancelled: (name) => `${name}: the call was given up; whether it took effect is unknown`,
  'too-large': (name) => `${name}: the answer is larger than ${limits.upstreamMessage} bytes; ask for less`,
  busy: (name) => `${name}: too many calls wait for this server; try again in a moment`,
  'input-required-unsupported': (name) => `${name}: the tool asks for input in the middle of the call, which is not supported here`,
  'audit-unwritable': (name) =>
    `${name}: the call cannot be recorded; whether it took effect is unknown; an operator has to look at the unit`,
}

export const refuse = (address: ToolAddress, code: Refusal, retryAfter?: number): Outcome =>
  failed(address, code, { message: words[code](fullName(address)), retryAfter })

/** For what is not the name of a tool of any server. */
export const refuseName = (name: string): Outcome =>
  failed({ server: '', tool: name }, 'not-granted', { message: words['not-granted'](name) })
