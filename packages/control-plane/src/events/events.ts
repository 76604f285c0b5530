// Publishes journal events to all listeners. Each event is encoded once. Revoking a token ends its streams immediately.
import { type Digest, limits, type News, type Principal, ServiceError, visibleJson } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'

/** Milliseconds between reads of the clock, which can be set. */
const lookEvery = 500

/** Runs `act` at that time, and again until cancelled. Setting the clock forward runs it earlier, setting it back does not delay it. */
export const endAt = (expiresAt: string | undefined, act: () => unknown): (() => void) => {
  if (expiresAt === undefined) return () => undefined
  const end = Date.parse(expiresAt)
  const latest = performance.now() + end - wallMs()
  const look = (): void => {
    const left = Math.min(end - wallMs(), latest - performance.now())
    if (left <= 0) act()
    timer = setTimeout(look, left > 0 ? Math.min(left, lookEvery) : lookEvery).unref()
  }
  let timer = setTimeout(look, 0).unref()
  return () => clearTimeout(timer)
}

interface Encoded {
  readonly news: News
  readonly chunk: Uint8Array
}

export interface Batch {
  readonly items: readonly Encoded[]
  /** All of them in one piece. */
  readonly whole: Uint8Array
}

const bytes = (text: string): Uint8Array => Buffer.from(text)

/** Needs no escaping: JSON contains no line breaks, and stages are fixed words. */
const encode = (news: News): Encoded => ({
  news,
  chunk: bytes(`id: ${news.seq}\nevent: ${news.stage}\ndata: ${visibleJson(JSON.stringify(news))}\n\n`),
})

export const encodeBatch = (list: readonly News[]): Batch => {
  const items = list.map(encode)
  return { items, whole: Buffer.concat(items.map(({ chunk }) => chunk)) }
}

/** Sets the id from which a reader without events resumes. */
export const markChunk = (seq: number): Uint8Array => bytes(`id: ${seq}\n\n`)

/** Tells the reader that it missed more events than a stream replays. They are in the journal. */
export const gapChunk = (after: number, head: number): Uint8Array =>
  bytes(`id: ${head}\nevent: gap\ndata: ${JSON.stringify({ after, head, hint: 'read GET /v1/audit' })}\n\n`)

const pingChunk = bytes(': ping\n\n')

/** A reader of the hub. */
export interface Listener {
  /** MCP clients have places of their own, so that no number of them keeps a person from the events. */
  readonly kind: 'reader' | 'client'
  /** SHA-256 of its token; null on an open unit. */
  readonly token: Digest | null
  readonly principal: Pick<Principal, 'name'>
  hear(batch: Batch): void
  /** Events may have been missed and must be fetched. */
  resume(): void
  /** Disconnects a stalled reader, and checks whether it is still authorized. */
  ping(chunk: Uint8Array): void
  /** Called when the stream ends for any reason. */
  end(): void
}

export interface Events {
  /** Publishes new journal lines, in order. */
  hear(items: readonly News[]): void
  /** Ends the streams of this token. */
  revoke(token: Digest): void
  /** Call it when the gateway is available again. */
  resume(): void
  /** Throws if the maximum number of readers is reached, of one principal or in total, or if the unit stops. */
  join(listener: Listener): void
  leave(listener: Listener): void
  count(): number
  /** Ends all streams and accepts no new ones. */
  close(): void
}

interface EventsOptions {
  /** Milliseconds between keep-alive comments. */
  readonly pingEvery?: number
  readonly most?: Readonly<Record<Listener['kind'], number>>
  /** Maximum per principal. */
  readonly mostOfOne?: number
}

const tooMany = (most: number, of: string): ServiceError =>
  new ServiceError('rate-limited', {
    detail: `there are already ${most} event streams${of}`,
    hint: 'end another stream first',
  })

export const createEvents = ({
  pingEvery = limits.eventPing,
  most = { reader: limits.eventStreams, client: limits.clientStreams },
  mostOfOne = limits.eventStreamsPerPrincipal,
}: EventsOptions = {}): Events => {
  const listeners = new Set<Listener>()
  let closed = false

  // A listener can leave during its callback.
  const tell = (act: (listener: Listener) => void): void => {
    for (const listener of Array.from(listeners)) act(listener)
  }
  const countWhere = (isCounted: (listener: Listener) => boolean): number => [...listeners].filter(isCounted).length
  const pulse = setInterval(() => tell((listener) => listener.ping(pingChunk)), pingEvery)
  pulse.unref()

  return {
    hear: (items) => {
      if (listeners.size === 0 || items.length === 0) return
      const batch = encodeBatch(items)
      tell((listener) => listener.hear(batch))
    },
    revoke: (token) =>
      tell((listener) => {
        if (listener.token === token) listener.end()
      }),
    resume: () => tell((listener) => listener.resume()),
    join: (listener) => {
      if (closed) throw new ServiceError('unavailable', { detail: 'the unit is stopping' })
      const { kind, principal } = listener
      if (countWhere((other) => other.principal.name === principal.name) >= mostOfOne) throw tooMany(mostOfOne, ` of ${principal.name}`)
      if (countWhere((other) => other.kind === kind) >= most[kind]) throw tooMany(most[kind], '')
      listeners.add(listener)
    },
    leave: (listener) => void listeners.delete(listener),
    count: () => listeners.size,
    close: () => {
      closed = true
      clearInterval(pulse)
      tell((listener) => listener.end())
    },
  }
}
