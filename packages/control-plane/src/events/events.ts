// Publishes journal events to all listeners. Each event is encoded once; a revoked token loses its streams at once.
import { type Digest, limits, type News, type Principal, ServiceError, visibleJson } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'

/** The clock is read again after this, since it can be set; and the gateway, whose clock decides, is asked again. */
const lookEvery = 500

/** Runs `act` from that time on until it is called off. A clock that is set forward brings it earlier, one that is set back no later. */
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

/** JSON has no line ends of its own, and a stage is a word of the frozen list. */
const encode = (news: News): Encoded => ({
  news,
  chunk: bytes(`id: ${news.seq}\nevent: ${news.stage}\ndata: ${visibleJson(JSON.stringify(news))}\n\n`),
})

export const encodeBatch = (list: readonly News[]): Batch => {
  const items = list.map(encode)
  return { items, whole: Buffer.concat(items.map(({ chunk }) => chunk)) }
}

/** Sets the id under which a reader resumes that was not told anything yet. */
export const markChunk = (seq: number): Uint8Array => bytes(`id: ${seq}\n\n`)

/** What passed in between is in the journal, and too much for a stream. */
export const gapChunk = (after: number, head: number): Uint8Array =>
  bytes(`id: ${head}\nevent: gap\ndata: ${JSON.stringify({ after, head, hint: 'read GET /v1/audit' })}\n\n`)

const pingChunk = bytes(': ping\n\n')

/** One reader, as the hub sees it. */
export interface Listener {
  /** MCP clients have places of their own, so that no number of them keeps a person from the events. */
  readonly kind: 'reader' | 'client'
  /** SHA-256 of the token that it came with; null on an open unit. */
  readonly token: Digest | null
  readonly principal: Pick<Principal, 'name'>
  hear(batch: Batch): void
  /** Lines may have passed unheard: they are to be fetched. */
  resume(): void
  /** Ends a reader that takes nothing; looks whether it may still listen. */
  ping(chunk: Uint8Array): void
  /** No more comes, for whatever reason. */
  end(): void
}

export interface Events {
  /** Lines that the gateway wrote just now, in their order. */
  hear(items: readonly News[]): void
  /** Ends the streams of this token. */
  revoke(token: Digest): void
  /** The gateway is there again. */
  resume(): void
  /** Throws where there are as many as may be, of one principal or of all, and where the unit stops. */
  join(listener: Listener): void
  leave(listener: Listener): void
  count(): number
  /** Ends every stream and takes no more. */
  close(): void
}

interface EventsOptions {
  /** Milliseconds between two signs of life. */
  readonly pingEvery?: number
  readonly most?: Readonly<Record<Listener['kind'], number>>
  /** Of one principal. */
  readonly mostOfOne?: number
}

const tooMany = (most: number, of: string): ServiceError =>
  new ServiceError('rate-limited', {
    detail: `expected at most ${most} readers of events${of}, got more`,
    hint: 'end another stream first',
  })

export const createEvents = ({
  pingEvery = limits.eventPing,
  most = { reader: limits.eventStreams, client: limits.clientStreams },
  mostOfOne = limits.eventStreamsPerPrincipal,
}: EventsOptions = {}): Events => {
  const listeners = new Set<Listener>()
  let closed = false

  // A listener may leave while it is told something.
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
      if (closed) throw new ServiceError('unavailable', { detail: 'expected a unit that stays, got one that stops' })
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
