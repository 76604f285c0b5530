// A reconnecting connection: calls wait for it up to their limit, and reconnects never stop.
import { connect } from 'node:net'
import { type Edge, limits, ServiceError } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import { greetAsCaller, type Lane } from './hello.ts'
import { createPeer, type Functions, type Peer } from './peer.ts'
import { Wire } from './wire.ts'

/** Where a server is and what proves who asks. */
interface Address {
  readonly edge: Edge
  readonly path: string
  readonly secret: string
}

export interface AttemptOptions extends Address {
  readonly lane: Lane
  /** What the server may call: listeners. */
  readonly functions: Functions
  readonly onUp: (peer: Peer) => void
  /** Once, also when it never came up. */
  readonly onDown: (reason: string) => void
}

const bufferSize = 64 * 1024

/** Bytes go from one buffer straight to the frames, past the stream, which is a tenth of what a lonely call costs. */
const attempt = (options: AttemptOptions): Wire => {
  const { first, hello } = greetAsCaller(options.edge, options.secret, options.lane)
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    wire.take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
    return true
  }
  const wire: Wire = new Wire({
    socket: connect({ path: options.path, onread: { buffer: Buffer.alloc(bufferSize), callback } }),
    hello,
    first,
    onOpen: (wire) => options.onUp(createPeer(wire, options.functions)),
    onClose: (reason) => options.onDown(reason ?? 'the other end closed the connection'),
  })
  return wire
}

export interface LinkOptions extends Address {
  readonly lane: Lane
  readonly functions: Functions
  readonly log: Logger
  /** After each time it came up. */
  readonly onUp?: () => void
}

interface Waiter {
  readonly resolve: (peer: Peer) => void
  readonly reject: (error: ServiceError) => void
  /** Waits through failed attempts. */
  readonly patient: boolean
}

/** Connects when it is first asked for. */
export class Link {
  readonly #options: LinkOptions
  readonly #pauses = backoff({ first: limits.rpcRetryFirst, most: limits.rpcRetryMost })
  readonly #waiters = new Set<Waiter>()
  #peer: Peer | undefined
  #attempt: Wire | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false
  /** A peer that has not started yet is no fault. */
  #wasUp = false
  /** The last reason that was logged: a peer that stays down is one line, not one per attempt. */
  #said: string | undefined

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** The peer while the link is up. */
  get peer(): Peer | undefined {
    return this.#peer
  }

  /** Tries at once unless an attempt or a pause is under way. */
  open(): void {
    if (this.#closed || this.#attempt !== undefined || this.#retry !== undefined) return
    this.#attempt = attempt({ ...this.#options, onUp: (peer) => this.#up(peer), onDown: (reason) => this.#down(reason) })
  }

  /** Ends a pause between two attempts: the caller has reason to believe that the peer is there. */
  reconnectNow(): void {
    if (this.#retry === undefined) return
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.open()
  }

  /** Waits for an attempt that is under way, and when patient also for later ones; `unavailable` after `most` milliseconds. */
  async wait(most: number, patient: boolean): Promise<Peer> {
    if (this.#peer !== undefined) return this.#peer
    this.open()
    if (this.#closed || (this.#attempt === undefined && !patient)) throw this.#unavailable()
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        act()
      }
      const waiter: Waiter = { resolve: (peer) => settle(() => resolve(peer)), reject: (error) => settle(() => reject(error)), patient }
      const timer = setTimeout(() => waiter.reject(this.#unavailable()), most)
      this.#waiters.add(waiter)
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#attempt?.close()
    for (const waiter of this.#waiters) waiter.reject(this.#unavailable())
  }

  #unavailable(): ServiceError {
    return new ServiceError('unavailable', { detail: `${this.#options.edge.server} does not answer now`, hint: 'try again in a moment' })
  }

  #up(peer: Peer): void {
    this.#peer = peer
    this.#said = undefined
    this.#wasUp = true
    this.#pauses.reset()
    for (const waiter of this.#waiters) waiter.resolve(peer)
    this.#options.onUp?.()
  }

  #down(reason: string): void {
    const { edge, lane, log } = this.#options
    const peer = this.#peer
    this.#peer = undefined
    this.#attempt = undefined
    const lost = `the connection to ${edge.server} ended before the answer: what was asked may or may not have been done`
    peer?.close(new ServiceError('unavailable', { detail: lost, cause: reason }))
    for (const waiter of this.#waiters) if (!waiter.patient) waiter.reject(this.#unavailable())
    if (this.#closed) return
    if (reason !== this.#said) log[this.#wasUp || !reason.startsWith('connect ') ? 'warn' : 'debug']('peer is down', { lane, reason })
    this.#said = reason
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.open()
    }, this.#pauses.next())
  }
}
