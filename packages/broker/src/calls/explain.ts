// From what a call threw to the result that the agent reads.
import { isServiceError, jsonBounds } from '@gatehouse/contracts'
import { Abandoned, describeJsonFault } from '@gatehouse/kernel'
import { QueueFull } from '../fairness/slots.ts'
import type { ToolAddress } from '@gatehouse/kernel'
import {
  AnswerRefused,
  DefinitionChanged,
  type FailureKind,
  NotDeclared,
  NotConnected,
  untouched,
  UpstreamError,
  UpstreamFailure,
} from '../upstream/failure.ts'
import { withoutControls } from './content.ts'
import { failed, type Outcome } from './outcome.ts'
import { refuse, unknownEffect } from './refuse.ts'

const mostMessage = 1024

const byFailure = (address: ToolAddress, kind: FailureKind, wasSent: boolean): Outcome => {
  if (kind === 'too-large') return refuse(address, 'too-large')
  if (kind !== 'status' && kind !== 'protocol') return refuse(address, 'server-unavailable', { wasSent: wasSent && !untouched.has(kind) })
  return failed(address, 'upstream-error', {
    message: `the tool server did not answer as MCP asks${wasSent ? `; ${unknownEffect}` : ''}`,
  })
}

export interface Ended {
  readonly signal: AbortSignal
  /** The server may have got the call. */
  readonly wasSent: boolean
}

/** As a model and a terminal may have it. */
const cleaned = (message: string): string => withoutControls(message).slice(0, mostMessage).toWellFormed()

/** The message of an upstream error goes to the caller alone. */
export const explain = (address: ToolAddress, error: unknown, { signal, wasSent }: Ended): Outcome => {
  const cause: unknown = signal.aborted ? signal.reason : error
  if (cause instanceof Abandoned) return refuse(address, cause.code, { wasSent })
  if (cause instanceof NotDeclared) return refuse(address, 'not-declared')
  if (cause instanceof DefinitionChanged) return refuse(address, 'definition-changed')
  if (cause instanceof QueueFull) return refuse(address, 'busy', { retryAfter: 1 })
  if (cause instanceof NotConnected) return refuse(address, 'server-unavailable', { retryAfter: cause.retryAfter, wasSent })
  if (cause instanceof AnswerRefused)
    return refuse(address, 'too-large', { excess: describeJsonFault(cause.fault, jsonBounds.upstreamMessage) })
  if (cause instanceof UpstreamFailure) return byFailure(address, cause.kind, wasSent)
  if (cause instanceof UpstreamError)
    return failed(address, 'upstream-error', { message: cleaned(cause.message) || 'the tool server answered with an error' })
  // The gateway cannot be asked: nothing is allowed meanwhile.
  if (isServiceError(cause)) return refuse(address, 'server-unavailable', { retryAfter: 1 })
  throw cause
}
