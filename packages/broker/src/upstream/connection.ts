// One connection to a tool server: the SDK's client connects and negotiates, lists and calls go by our own requests.
import { Client, type ClientOptions, type PriorDiscovery, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { limits, type ProbeResult, type ToolDefinition } from '@gatehouse/contracts'
import type { Scrub } from '../secrets/scrub.ts'
import { classify } from './classify.ts'
import { UpstreamFailure } from './failure.ts'
import { type ConnectSettings, makeTransport, type MadeTransport, type NamedEntry } from './make-transport.ts'
import { envelope, type Json, Requests } from './requests.ts'

export interface Connection {
  readonly scrub: Scrub
  readonly requests: Requests
  readonly server: ProbeResult['server']
  readonly isLegacy: boolean
  /** The server says when its tools change. */
  readonly announces: boolean
  /** Resolves with the reason when the connection is gone. */
  readonly gone: Promise<UpstreamFailure>
  /** A call by the SDK, for tools whose arguments also travel in headers. */
  callBySdk(tool: ToolDefinition, args: Json, signal: AbortSignal): Promise<unknown>
  /** The reason is what requests in flight and `gone` are told. */
  close(reason?: UpstreamFailure): Promise<void>
}

export interface ConnectOptions {
  readonly signal: AbortSignal
  /** What an earlier connection to the same entry found. */
  readonly isLegacy?: boolean
  onToolsChanged?(): void
}

/** Schemas of servers are never compiled: none is checked here, so none can harm. */
const noValidation: ClientOptions['jsonSchemaValidator'] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

const createClient = (version: string, kind: MadeTransport['kind'], onToolsChanged: () => void): Client => {
  const probe = { timeoutMs: kind === 'stdio' ? limits.eraProbe : limits.connectTime }
  const client = new Client(
    { name: 'gatehouse', version },
    { versionNegotiation: { mode: 'auto', probe }, inputRequired: { autoFulfill: false }, jsonSchemaValidator: noValidation },
  )
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  return client
}

interface Attempt {
  readonly client: Client
  readonly made: MadeTransport
}

const attempt = async (
  entry: NamedEntry,
  settings: ConnectSettings,
  options: ConnectOptions & { prior?: PriorDiscovery },
): Promise<Attempt> => {
  const made = await makeTransport(entry, settings)
  const client = createClient(settings.boot.version, made.kind, () => options.onToolsChanged?.())
  const giveUp = (): void => void made.transport.close()
  options.signal.addEventListener('abort', giveUp)
  try {
    options.signal.throwIfAborted()
    await client.connect(made.transport, { timeout: limits.probeTime, ...(options.prior && { prior: options.prior }) })
    return { client, made }
  } catch (error) {
    await made.transport.close().catch(() => undefined)
    throw options.signal.aborted ? new UpstreamFailure('silent') : error
  } finally {
    options.signal.removeEventListener('abort', giveUp)
  }
}

/** Some old local servers end when they are asked for their revision before `initialize`: those are started once more. */
const endedByProbe = (error: unknown, entry: NamedEntry): boolean =>
  entry.entry.transport === 'stdio' &&
  error instanceof SdkError &&
  error.code === SdkErrorCode.EraNegotiationFailed &&
  error.cause === undefined

const connectClient = async (entry: NamedEntry, settings: ConnectSettings, options: ConnectOptions): Promise<Attempt> => {
  const asLegacy = { ...options, prior: { kind: 'legacy' } as const }
  if (options.isLegacy === true) return attempt(entry, settings, asLegacy)
  try {
    return await attempt(entry, settings, options)
  } catch (error) {
    if (!endedByProbe(error, entry)) throw error
    return attempt(entry, settings, asLegacy)
  }
}

const brief = (text: string | undefined, scrub: Scrub): string => scrub.text(text ?? '').slice(0, 128)

const wire = ({ client, made }: Attempt, version: string): Connection => {
  const { transport, scrub } = made
  const protocol = client.getNegotiatedProtocolVersion() ?? ''
  const isLegacy = client.getProtocolEra() !== 'modern'
  const requests = new Requests(transport, isLegacy ? undefined : envelope(protocol, { name: 'gatehouse', version }))
  const gone = Promise.withResolvers<UpstreamFailure>()
  let reason = new UpstreamFailure('exited')
  if (made.kind === 'stdio') made.transport.onoverlong = (line) => requests.failOverlong(line)
  client.onclose = () => {
    requests.failAll(reason)
    gone.resolve(reason)
  }
  const info = client.getServerVersion()
  return {
    scrub,
    requests,
    server: { name: brief(info?.name, scrub), version: brief(info?.version, scrub), protocol },
    isLegacy,
    announces: client.getServerCapabilities()?.tools?.listChanged === true,
    gone: gone.promise,
    callBySdk: (tool, args, signal) =>
      client.callTool(
        { name: tool.name, arguments: args },
        { signal, timeout: limits.callTime, toolDefinition: { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } } },
      ),
    close: async (why) => {
      reason = why ?? reason
      await transport.close().catch(() => undefined)
      requests.failAll(reason)
      gone.resolve(reason)
    },
  }
}

/** Rejects with `UpstreamFailure` alone. */
export const connect = async (entry: NamedEntry, settings: ConnectSettings, options: ConnectOptions): Promise<Connection> => {
  try {
    return wire(await connectClient(entry, settings, options), settings.boot.version)
  } catch (error) {
    throw classify(error)
  }
}
