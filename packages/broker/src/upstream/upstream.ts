// One tool server as all sessions share it: its live list, its slots, its calls.
import type { Digest, ProbeResult, ServerState, ToolDefinition } from '@gatehouse/contracts'
import { Abandoned, type Metrics, wallMs } from '@gatehouse/kernel'
import type { Scrub } from '../secrets/scrub.ts'
import { answersAtAll } from './answers-at-all.ts'
import { classify } from './classify.ts'
import { Connector, type ConnectorOptions } from './connector.ts'
import { digestOf } from './digest-of.ts'
import { DefinitionChanged, fatal, LossGuessed, NotDeclared, UpstreamError, UpstreamFailure } from './failure.ts'
import type { Listing, Live } from './live.ts'
import type { Json } from './requests.ts'
import { type DeclaredCall, sendCall } from './send-call.ts'
import { untilAborted } from './until-aborted.ts'

export type UpstreamOptions = ConnectorOptions

export interface Answer {
  /** As the server sent it. */
  readonly result: unknown
  /** What the entry of the answering connection must not let out. */
  readonly scrub: Scrub
}

export interface ToolRequest {
  /** Who asks: sessions take turns. */
  readonly session: string
  readonly tool: string
  readonly args: Json
  /** What the definition must be when the call is sent; any will do without. */
  readonly pin?: Digest | undefined
  /** Asked right before the call is sent: waits while it is not sure that it may be. */
  readonly admit: () => Promise<void>
  /** Told when the call is sent, and with `false` when it turns out that the server did not look at it. */
  readonly onSent: (wasSent: boolean) => void
}

/** A tool that a list older than this lacks, or has otherwise, is looked for once more. */
const staleList = 5_000

const fits = (definition: ToolDefinition | undefined, pin: Digest | undefined): boolean =>
  definition !== undefined && (pin === undefined || digestOf(definition) === pin)

const pinned = (listing: Listing, { tool, pin }: ToolRequest): ToolDefinition => {
  const definition = listing.tools.get(tool)
  if (definition === undefined) throw new NotDeclared()
  if (!fits(definition, pin)) throw new DefinitionChanged()
  return definition
}

const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof Abandoned && reason.code === 'timeout'

const showServer = (metrics: Metrics, server: string): void => {
  for (const name of ['broker_upstream_up', 'broker_upstream_restarts_total', 'broker_queue_depth'] as const)
    metrics.touch(name, { server })
  for (const direction of ['in', 'out']) metrics.touch('broker_bytes_total', { server, direction })
  for (const op of ['list', 'call']) {
    metrics.touch('broker_requests_total', { server, op, status: 'ok' })
    metrics.touch('broker_request_duration_seconds', { server, op })
  }
}

export class Upstream {
  readonly #connector: Connector
  #lastListing: Listing | undefined
  /** The connection that is looked at for life. */
  #doubted: Live | undefined

  constructor(options: UpstreamOptions) {
    const { metrics, name, onListed } = options
    showServer(metrics, name)
    this.#connector = new Connector({
      ...options,
      onListed: (listing) => {
        this.#lastListing = listing
        onListed(listing)
      },
    })
  }

  get state(): ServerState {
    const { live, isConnecting, schedule } = this.#connector
    const down = schedule.last === undefined ? 'idle' : 'down'
    return {
      status: live !== undefined ? 'up' : isConnecting ? 'connecting' : down,
      ...(schedule.last !== undefined && { lastError: schedule.last.message }),
      ...(schedule.wait > 0 && { nextAttemptAt: new Date(wallMs() + schedule.wait).toISOString() }),
      ...(this.#lastListing !== undefined && { tools: this.#lastListing.tools.size }),
      ...(live?.connection.image !== undefined && { image: live.connection.image }),
    }
  }

  /** The last good list, also of a server that is down. */
  get lastListing(): Listing | undefined {
    return this.#lastListing
  }

  async listing(signal: AbortSignal): Promise<Listing> {
    return (await this.#connector.connected(signal)).listing
  }

  /** Asks the server now, not the list that is kept. */
  async relist(signal: AbortSignal): Promise<Listing> {
    const { live } = this.#connector
    return live === undefined ? this.listing(signal) : untilAborted(live.refresh(), signal)
  }

  /** What a probe would find, asked on the connection that stands or is being made; undefined where there is none. */
  async look(signal: AbortSignal): Promise<Omit<ProbeResult, 'elapsedMs'> | undefined> {
    const connector = this.#connector
    const live = connector.live ?? (connector.isConnecting ? await connector.connected(signal) : undefined)
    if (live === undefined) return undefined
    const { tools } = await untilAborted(live.refresh(), signal)
    const { server, image } = live.connection
    return { tools: [...tools.values()], server, ...(image !== undefined && { image }) }
  }

  /** Rejects with the signal's reason, `NotDeclared`, `DefinitionChanged`, `QueueFull`, `UpstreamError` or `UpstreamFailure`. */
  async call(request: ToolRequest, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#callOnce(request, signal)
    } catch (error) {
      // The server did not look at the call: it no longer knew who asked.
      if (!(error instanceof UpstreamFailure) || error.kind !== 'session-lost') throw error
      if (error instanceof LossGuessed) await this.#assertPings(signal)
      request.onSent(false)
      return this.#callOnce(request, signal)
    }
  }

  /** Calls in flight end on the connection that they began on. */
  retire(): void {
    this.#connector.retire()
  }

  close(): Promise<void> {
    return this.#connector.close()
  }

  /** One that refuses a ping of a new session too knows no ping: then the call may have been looked at, and is not made again. */
  async #assertPings(signal: AbortSignal): Promise<void> {
    const { connection } = await this.#connector.connected(signal)
    if (!(await connection.requests.answersPing())) throw new UpstreamFailure('status', 'the server answered with HTTP 400')
  }

  /** Sent once. What waits on a connection that is lost waits for the next one: it is not the call that failed. */
  async #callOnce(request: ToolRequest, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      const live = await this.#connector.connected(signal)
      const answer = await live.use(() => this.#callOn(live, request, signal))
      if (answer !== undefined) return answer
    }
  }

  /** Undefined where the connection was lost before the call was sent. */
  async #callOn(live: Live, request: ToolRequest, signal: AbortSignal): Promise<Answer | undefined> {
    await this.#findDeclared(live, request, signal)
    const release = await live.slots.take(request.session, signal)
    try {
      if (release !== undefined) await untilAborted(request.admit(), signal)
      if (release === undefined || live.isLost) return undefined
      // From here to the first byte nothing else runs.
      const call = { declared: pinned(live.listing, request), args: request.args }
      request.onSent(true)
      return await this.#send(live, call, signal)
    } finally {
      release?.()
    }
  }

  async #findDeclared(live: Live, request: ToolRequest, signal: AbortSignal): Promise<void> {
    const isFresh = performance.now() - live.listing.at < staleList
    if (isFresh || fits(live.listing.tools.get(request.tool), request.pin)) return void pinned(live.listing, request)
    const listing = await untilAborted(live.refresh(), signal).catch((error: unknown) => {
      throw live.isBusy(error) ? error : this.#judge(error, live, signal)
    })
    pinned(listing, request)
  }

  async #send(live: Live, call: DeclaredCall, signal: AbortSignal): Promise<Answer> {
    try {
      return { result: await sendCall(live.connection, call, signal), scrub: live.connection.scrub }
    } catch (error) {
      throw this.#judge(error, live, signal)
    }
  }

  #judge(error: unknown, live: Live, signal: AbortSignal): unknown {
    if (isTimeout(signal)) void this.#doubt(live)
    if (signal.aborted) return error
    if (error instanceof UpstreamError) return new UpstreamError(error.code, live.connection.scrub.text(error.message))
    const failure = classify(error)
    if (fatal.has(failure.kind)) this.#connector.lost(live, failure)
    return failure
  }

  /** A server that hangs would let every call of every session wait; the next one gets another. */
  async #doubt(live: Live): Promise<void> {
    if (this.#doubted === live) return
    this.#doubted = live
    if (!(await answersAtAll(live.connection))) this.#connector.lost(live, new UpstreamFailure('silent'))
    this.#doubted = undefined
  }
}
