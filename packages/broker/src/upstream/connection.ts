// One connection to a tool server. The SDK's client connects and negotiates the revision; lists and calls are sent by `Requests`.
import { setTimeout as pause } from 'node:timers/promises'
import { limits, type ProbeResult, type ServerImage, type ToolDefinition } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import {
  Client,
  type ClientOptions,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client'
import type { Redactor } from '../secrets/redact.ts'
import { classify } from './base/classify.ts'
import { UpstreamError, UpstreamFailure } from './base/failure.ts'
import { type ConnectSettings, type MadeTransport, makeTransport, type NamedEntry } from './make-transport.ts'
import { envelope, type Json, Requests } from './requests.ts'

export interface Connection {
  readonly redactor: Redactor
  readonly requests: Requests
  readonly server: ProbeResult['server']
  /** That of a local server in a container. */
  readonly image: ServerImage | undefined
  readonly isLegacy: boolean
  /** Resolves with the reason when the connection is gone. */
  readonly gone: Promise<UpstreamFailure>
  /** Arguments that a tool's schema marks with `x-mcp-header` travel in headers too. */
  readonly mirrorsArguments: boolean
  /** A call by the SDK, which knows how to put arguments into headers. */
  callBySdk(tool: ToolDefinition, args: Json, signal: AbortSignal): Promise<unknown>
  /** Running requests and `gone` receive the reason. */
  close(reason?: UpstreamFailure): Promise<void>
}

export interface ConnectOptions {
  readonly signal: AbortSignal
  onToolsChanged?(): void
}

/** Schemas of servers are never compiled or validated here, so they cannot do harm. */
const noValidation: ClientOptions['jsonSchemaValidator'] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

interface ClientParts {
  readonly version: string
  /** Milliseconds without an answer to the revision probe after which a server counts as an old one. */
  readonly silence: number
  readonly onToolsChanged: () => void
}

const createClient = ({ version, silence, onToolsChanged }: ClientParts): Client => {
  const probe = { timeoutMs: silence }
  const client = new Client(
    { name: 'gatehouse', version },
    { versionNegotiation: { mode: 'auto', probe }, inputRequired: { autoFulfill: false }, jsonSchemaValidator: noValidation },
  )
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  return client
}

/** Why the broker ended an attempt; a timeout unless the reason is another one. */
export const abortFailure = ({ reason }: AbortSignal): UpstreamFailure =>
  reason instanceof UpstreamFailure ? reason : new UpstreamFailure('silent')

interface Attempt {
  readonly client: Client
  readonly made: MadeTransport
}

/** Why a local server never ran, where that is known. */
const startFailure = (made: MadeTransport): UpstreamFailure | undefined => (made.kind === 'stdio' ? made.transport.failure : undefined)

const attempt = async (
  entry: NamedEntry,
  settings: ConnectSettings,
  options: ConnectOptions & { prior?: PriorDiscovery; silence?: number },
): Promise<Attempt> => {
  const made = await makeTransport(entry, settings, options.signal)
  const { silence = made.kind === 'stdio' ? limits.eraProbe : limits.connectTime } = options
  const client = createClient({ version: settings.boot.version, silence, onToolsChanged: () => options.onToolsChanged?.() })
  const giveUp = (): void => void made.transport.close()
  options.signal.addEventListener('abort', giveUp)
  try {
    options.signal.throwIfAborted()
    await client.connect(made.transport, { timeout: limits.probeTime, ...(options.prior && { prior: options.prior }) })
    return { client, made }
  } catch (error) {
    await made.transport.close().catch(() => undefined)
    throw options.signal.aborted ? abortFailure(options.signal) : (startFailure(made) ?? error)
  } finally {
    options.signal.removeEventListener('abort', giveUp)
  }
}

/**
 * Some old local servers end when they are asked for their revision before `initialize`: those are started once more. Some remote ones
 * answer nothing to a method that they do not know: those are asked once more.
 */
const endedByProbe = (error: unknown, { entry }: NamedEntry): boolean => {
  if (!(error instanceof SdkError)) return false
  if (entry.transport === 'http') return error.code === SdkErrorCode.RequestTimeout
  return error.code === SdkErrorCode.EraNegotiationFailed && error.cause === undefined
}

/** A local server that took long to start was taken for an old one, and says that it knows newer revisions only. */
const isTooNew = (error: unknown, { entry }: NamedEntry): boolean =>
  entry.transport === 'stdio' && error instanceof UnsupportedProtocolVersionError

const connectClient = async (entry: NamedEntry, settings: ConnectSettings, options: ConnectOptions): Promise<Attempt> => {
  const asLegacy = { ...options, prior: { kind: 'legacy' } as const }
  const isLegacy = settings.protocolCache.isLegacy(entry)
  try {
    return await attempt(entry, settings, isLegacy ? asLegacy : options)
  } catch (error) {
    if (isTooNew(error, entry)) return attempt(entry, settings, { ...options, silence: limits.probeTime })
    if (isLegacy || !endedByProbe(error, entry)) throw error
    return attempt(entry, settings, asLegacy)
  }
}

const callBySdk = async (client: Client, { tool, args }: { tool: ToolDefinition; args: Json }, signal: AbortSignal): Promise<unknown> => {
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } }
  try {
    return await client.callTool({ name: tool.name, arguments: args }, { signal, timeout: limits.callTime, toolDefinition })
  } catch (error) {
    if (error instanceof ProtocolError) throw new UpstreamError(error.code, error.message)
    if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) return { resultType: 'input_required' }
    throw error
  }
}

/**
 * Keeps the stream open on which a server of the stateless revision announces changes of its tools, until the connection ends. Changes
 * from the time without a stream are asked for when one is open again.
 */
const keepListening = async (client: Client, gone: Promise<unknown>, onToolsChanged: () => void): Promise<void> => {
  const pauses = backoff({ first: limits.upstreamRetryFirst, most: limits.upstreamRetryMost })
  const ended = new AbortController()
  let isFirst = true
  void gone.then(() => ended.abort())
  const listenOnce = async (): Promise<void> => {
    const stream = await client.listen({ toolsListChanged: true }, { timeout: limits.connectTime })
    if (!isFirst) onToolsChanged()
    isFirst = false
    const since = performance.now()
    await Promise.race([stream.closed, gone])
    if (performance.now() - since >= limits.upstreamSustained) pauses.reset()
  }
  while (!ended.signal.aborted) {
    await listenOnce().catch(() => undefined)
    await Promise.race([pause(pauses.next(), undefined, { ref: false }), gone])
  }
}

const shorten = (text: string | undefined, redactor: Redactor): string => redactor.text(text ?? '').slice(0, 128)

const buildConnection = ({ client, made }: Attempt, version: string, onToolsChanged: () => void): Connection => {
  const { transport, redactor } = made
  const protocol = client.getNegotiatedProtocolVersion() ?? ''
  const isLegacy = client.getProtocolEra() !== 'modern'
  const requests = new Requests(transport, isLegacy ? undefined : envelope(protocol, { name: 'gatehouse', version }))
  const gone = Promise.withResolvers<UpstreamFailure>()
  let reason = new UpstreamFailure('exited')
  if (made.kind === 'stdio') made.transport.onoverlong = (line) => requests.failOverlong(line)
  const ended = (): void => {
    requests.failAll(reason)
    gone.resolve(reason)
  }
  Object.assign(client, { onclose: ended })
  const announces = client.getServerCapabilities()?.tools?.listChanged === true
  if (announces && !isLegacy) void keepListening(client, gone.promise, onToolsChanged)
  const info = client.getServerVersion()
  return {
    redactor,
    requests,
    server: { name: shorten(info?.name, redactor), version: shorten(info?.version, redactor), protocol },
    image: made.kind === 'stdio' ? made.transport.image : undefined,
    isLegacy,
    gone: gone.promise,
    mirrorsArguments: !isLegacy && made.kind === 'http',
    callBySdk: (tool, args, signal) => callBySdk(client, { tool, args }, signal),
    close: async (why) => {
      reason = why ?? reason
      await transport.close().catch(() => undefined)
      ended()
    },
  }
}

/** Rejects only with `UpstreamFailure`. */
export const connect = async (entry: NamedEntry, settings: ConnectSettings, options: ConnectOptions): Promise<Connection> => {
  try {
    const connection = buildConnection(await connectClient(entry, settings, options), settings.boot.version, () =>
      options.onToolsChanged?.(),
    )
    settings.protocolCache.remember(entry, connection.isLegacy ? 'legacy' : 'modern')
    return connection
  } catch (error) {
    settings.protocolCache.forget(entry)
    throw classify(error)
  }
}
