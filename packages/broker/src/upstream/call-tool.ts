// One tool call on an upstream: sent once, on a connection whose list declares the tool as it was approved. It is sent again only
// when the server certainly did not process it.
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import { Abandoned, abortable } from '@gatehouse/kernel'
import type { Redactor } from '../secrets/redact.ts'
import type { ActiveConnection, Listing } from './active-connection.ts'
import { classify } from './base/classify.ts'
import { DefinitionChanged, fatal, NotDeclared, SuspectedSessionLoss, UpstreamError, UpstreamFailure } from './base/failure.ts'
import type { Connection } from './connection.ts'
import { getDefinitionDigest } from './list-tools.ts'
import type { Json } from './requests.ts'
import type { Upstream } from './upstream.ts'

export interface ToolRequest {
  /** Sessions take turns. */
  readonly session: string
  readonly tool: string
  readonly args: Json
  /** The digest that the definition must have when the call is sent; without it any definition will do. */
  readonly pin?: Digest | undefined
  /** Awaited right before the call is sent, while it is being checked again. */
  readonly admit: () => Promise<void>
  /** Called when the call is sent, and with `false` when the server did not process it. */
  readonly onSent: (wasSent: boolean) => void
}

export interface Answer {
  /** As the server sent it. */
  readonly result: unknown
  /** Removes the secrets of the entry that the answering connection was made for. */
  readonly redactor: Redactor
}

/** Milliseconds. A tool that is missing or differs in an older list is looked up again. */
const staleList = 5_000

const matchesPin = (definition: ToolDefinition | undefined, pin: Digest | undefined): boolean =>
  definition !== undefined && (pin === undefined || getDefinitionDigest(definition) === pin)

const requirePinned = (listing: Listing, { tool, pin }: ToolRequest): ToolDefinition => {
  const definition = listing.tools.get(tool)
  if (definition === undefined) throw new NotDeclared()
  if (!matchesPin(definition, pin)) throw new DefinitionChanged()
  return definition
}

const headerMarks = new WeakMap<ToolDefinition, boolean>()

const marksHeaders = (tool: ToolDefinition): boolean => {
  const marks = headerMarks.get(tool) ?? JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')
  headerMarks.set(tool, marks)
  return marks
}

interface DeclaredCall {
  readonly definition: ToolDefinition
  readonly args: Json
}

const send = (connection: Connection, { definition, args }: DeclaredCall, signal: AbortSignal): Promise<unknown> =>
  connection.mirrorsArguments && marksHeaders(definition)
    ? connection.callBySdk(definition, args, signal)
    : connection.requests.send('tools/call', { name: definition.name, arguments: args }, signal)

const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof Abandoned && reason.code === 'timeout'

interface Attempt {
  readonly upstream: Upstream
  readonly active: ActiveConnection
  readonly request: ToolRequest
}

/** A server that hangs would let every call of every session wait; the next call gets another connection. */
const replaceUnresponsive = async ({ upstream, active }: Attempt): Promise<void> => {
  if (!(await active.isResponsive())) upstream.lost(active, new UpstreamFailure('silent'))
}

/** The error for the caller. A dead connection is replaced. */
const handleError = (error: unknown, attempt: Attempt, signal: AbortSignal): unknown => {
  const { upstream, active } = attempt
  if (isTimeout(signal)) void replaceUnresponsive(attempt)
  if (signal.aborted) return error
  if (error instanceof UpstreamError) return new UpstreamError(error.code, active.connection.redactor.text(error.message))
  const failure = classify(error)
  if (fatal.has(failure.kind)) upstream.lost(active, failure)
  return failure
}

const requireDeclared = async (attempt: Attempt, signal: AbortSignal): Promise<void> => {
  const { active, request } = attempt
  const isFresh = performance.now() - active.listing.at < staleList
  if (isFresh || matchesPin(active.listing.tools.get(request.tool), request.pin)) return void requirePinned(active.listing, request)
  const listing = await abortable(active.refresh(), signal).catch((error: unknown) => {
    throw active.isBusy(error) ? error : handleError(error, attempt, signal)
  })
  requirePinned(listing, request)
}

/** Undefined where the connection was lost before the call was sent. */
const callOn = async (attempt: Attempt, signal: AbortSignal): Promise<Answer | undefined> => {
  const { active, request } = attempt
  await requireDeclared(attempt, signal)
  const release = await active.limiter.take(request.session, signal)
  try {
    if (release !== undefined) await abortable(request.admit(), signal)
    if (release === undefined || active.isLost) return undefined
    // Nothing else runs between here and the first byte.
    const call = { definition: requirePinned(active.listing, request), args: request.args }
    request.onSent(true)
    const result = await send(active.connection, call, signal).catch((error: unknown) => {
      throw handleError(error, attempt, signal)
    })
    return { result, redactor: active.connection.redactor }
  } finally {
    release?.()
  }
}

/** A call that waits on a connection which is lost waits for the next one: it is not the call that failed. */
const callOnce = async (upstream: Upstream, request: ToolRequest, signal: AbortSignal): Promise<Answer> => {
  for (;;) {
    const active = await upstream.connected(signal)
    const answer = await active.use(() => callOn({ upstream, active, request }, signal))
    if (answer !== undefined) return answer
  }
}

/** A server that refuses a ping of a new session too knows no ping: it may have looked at the call, which is not made again. */
const assertPings = async (upstream: Upstream, signal: AbortSignal): Promise<void> => {
  const { connection } = await upstream.connected(signal)
  if (!(await connection.requests.answersPing())) throw new UpstreamFailure('status', 'the server answered with HTTP 400')
}

/** Rejects with the signal's reason, `NotDeclared`, `DefinitionChanged`, `QueueFull`, `UpstreamError` or `UpstreamFailure`. */
export const callTool = async (upstream: Upstream, request: ToolRequest, signal: AbortSignal): Promise<Answer> => {
  try {
    return await callOnce(upstream, request, signal)
  } catch (error) {
    // The server no longer knew the session, so it did not process the call.
    if (!(error instanceof UpstreamFailure) || error.kind !== 'session-lost') throw error
    if (error instanceof SuspectedSessionLoss) await assertPings(upstream, signal)
    request.onSent(false)
    return callOnce(upstream, request, signal)
  }
}
