// From what a call threw to the result that the agent reads.
import { isServiceError } from '@gatehouse/contracts'
import { Abandoned } from '@gatehouse/kernel'
import { QueueFull } from '../fairness/slots.ts'
import type { ToolAddress } from '../names/exposed-name.ts'
import { DefinitionChanged, type FailureKind, NotDeclared, NotConnected, UpstreamError, UpstreamFailure } from '../upstream/failure.ts'
import { failed, type Outcome } from './outcome.ts'
import { refuse } from './refuse.ts'

const mostMessage = 1024

const byFailure = (address: ToolAddress, kind: FailureKind): Outcome => {
  if (kind === 'too-large') return refuse(address, 'too-large')
  if (kind !== 'status' && kind !== 'protocol') return refuse(address, 'server-unavailable')
  return failed(address, 'upstream-error', { message: 'the tool server did not answer as MCP asks' })
}

/** The message of an upstream error goes to the caller alone. */
export const explain = (address: ToolAddress, error: unknown, signal: AbortSignal): Outcome => {
  const cause: unknown = signal.aborted ? signal.reason : error
  if (cause instanceof Abandoned) return refuse(address, cause.code)
  if (cause instanceof NotDeclared) return refuse(address, 'not-declared')
  if (cause instanceof DefinitionChanged) return refuse(address, 'definition-changed')
  if (cause instanceof QueueFull) return refuse(address, 'busy', 1)
  if (cause instanceof NotConnected) return refuse(address, 'server-unavailable', cause.retryAfter)
  if (cause instanceof UpstreamFailure) return byFailure(address, cause.kind)
  if (cause instanceof UpstreamError)
    return failed(address, 'upstream-error', { message: cause.message.slice(0, mostMessage) || 'the tool server answered with an error' })
  // The gateway cannot be asked: nothing is allowed meanwhile.
  if (isServiceError(cause)) return refuse(address, 'server-unavailable', 1)
  throw cause
}
