// Turns the answer of a server, or the error of a call, into the outcome that the caller may see.
import { isDeeperThan, isObject, isServiceError, jsonBounds, limits, type ToolResult } from '@gatehouse/contracts'
import { Abandoned, describeJsonFault, type ToolAddress } from '@gatehouse/kernel'
import {
  AnswerRefused,
  DefinitionChanged,
  type FailureKind,
  NotConnected,
  NotDeclared,
  untouched,
  UpstreamError,
  UpstreamFailure,
} from '../upstream/base/failure.ts'
import { QueueFull } from '../upstream/concurrency-limiter.ts'
import type { Answer } from '../upstream/call-tool.ts'
import { type Block, cleanValue, readContent, stripControls } from './content.ts'
import { buildFailure, type Outcome, refuse, unknownEffect } from './outcome.ts'

/** Absent in older revisions, where every result is complete. */
const isComplete = (type: unknown): boolean => type === undefined || type === 'complete'

interface Structured {
  readonly value?: unknown
  readonly notes: readonly Block[]
}

/** Whether the JSON of a value is larger. Obviously large values are not serialized, because that would delay other calls. */
const isLargerThan = (value: unknown, most: number): boolean => {
  let left = most
  /** Takes no more than what its JSON has. */
  const take = (part: unknown): boolean => {
    left -= typeof part === 'string' ? part.length : 1
    if (left < 0) return true
    if (Array.isArray(part)) return part.some(take)
    return isObject(part) && Object.entries(part).some(([name, member]) => take(name) || take(member))
  }
  return take(value) || Buffer.byteLength(JSON.stringify(value)) > most
}

const readStructured = (value: unknown): Structured => {
  if (value === undefined) return { notes: [] }
  if (!isLargerThan(value, limits.resultText)) return { value: cleanValue(value), notes: [] }
  return { notes: [{ type: 'text', text: `[left out: structured content of more than ${limits.resultText} bytes]` }] }
}

/** The outcome of a call that the server answered. */
export const interpretAnswer = (address: ToolAddress, { result, redactor }: Answer): Outcome => {
  if (isObject(result) && result['resultType'] === 'input_required') return refuse(address, 'input-required-unsupported')
  if (!isObject(result) || !isComplete(result['resultType']))
    return buildFailure(address, 'upstream-error', { message: 'the tool server did not answer as MCP asks' })
  const { content, structuredContent, isError } = result
  if (isDeeperThan([content, structuredContent], limits.jsonDepth))
    return refuse(address, 'too-large', {
      excess: describeJsonFault('levels', { ...jsonBounds.upstreamMessage, levels: limits.jsonDepth }),
    })
  const { value, notes } = readStructured(structuredContent)
  const read: ToolResult = {
    content: [...readContent(content, redactor), ...notes],
    ...(value !== undefined && { structuredContent: value }),
    isError: isError === true,
  }
  return { address, status: read.isError ? 'error' : 'ok', result: read, redactor }
}

const maxMessage = 1024

/** After these the call was not made. */
const logins: Partial<Record<FailureKind, 'needed' | 'too-narrow'>> = { 'needs-login': 'needed', scope: 'too-narrow' }

const fromFailure = (address: ToolAddress, kind: FailureKind, wasSent: boolean): Outcome => {
  const login = logins[kind]
  if (login !== undefined) return refuse(address, 'server-unavailable', { login })
  if (kind === 'too-large') return refuse(address, 'too-large')
  if (kind !== 'status' && kind !== 'protocol') return refuse(address, 'server-unavailable', { wasSent: wasSent && !untouched.has(kind) })
  return buildFailure(address, 'upstream-error', {
    message: `the tool server did not answer as MCP asks${wasSent ? `; ${unknownEffect}` : ''}`,
  })
}

export interface FailedCall {
  readonly signal: AbortSignal
  /** The server may have received the call. */
  readonly wasSent: boolean
}

/** Safe for a model and a terminal. */
const sanitize = (message: string): string => stripControls(message).slice(0, maxMessage).toWellFormed()

/** The outcome of a call that threw. Only the caller sees the message of an upstream error. Throws errors that it does not know. */
export const interpretError = (address: ToolAddress, error: unknown, { signal, wasSent }: FailedCall): Outcome => {
  const cause: unknown = signal.aborted ? signal.reason : error
  if (cause instanceof Abandoned) return refuse(address, cause.code, { wasSent })
  if (cause instanceof NotDeclared) return refuse(address, 'not-declared')
  if (cause instanceof DefinitionChanged) return refuse(address, 'definition-changed')
  if (cause instanceof QueueFull) return refuse(address, 'busy', { retryAfter: 1 })
  if (cause instanceof NotConnected && logins[cause.kind] === undefined)
    return refuse(address, 'server-unavailable', { retryAfter: cause.retryAfter, wasSent })
  if (cause instanceof AnswerRefused)
    return refuse(address, 'too-large', { excess: describeJsonFault(cause.fault, jsonBounds.upstreamMessage) })
  if (cause instanceof UpstreamFailure) return fromFailure(address, cause.kind, wasSent)
  if (cause instanceof UpstreamError)
    return buildFailure(address, 'upstream-error', { message: sanitize(cause.message) || 'the tool server answered with an error' })
  // Without the gateway's decision no call is allowed.
  if (isServiceError(cause)) return refuse(address, 'server-unavailable', { retryAfter: 1 })
  throw cause
}
