// Limits how many requests of one kind a session may run at once and start per minute. Requests over the limit wait in FIFO order.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createWindow, type Window } from '../rate.ts'

export interface Bounds {
  readonly inFlight?: number
  /** Starts within any minute; a function where the maximum changes. */
  readonly perMinute?: number | (() => number)
  /** Length of the `perMinute` window in milliseconds; tests shorten it. */
  readonly minute?: number
}

export class ConcurrencyLimiter {
  readonly #inFlight: number
  readonly #max: () => number
  readonly #starts: Window | undefined
  readonly #waiting = new Set<() => void>()
  #running = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ inFlight = Infinity, perMinute, minute = 60_000 }: Bounds) {
    this.#inFlight = inFlight
    this.#max = typeof perMinute === 'function' ? perMinute : () => perMinute ?? Infinity
    this.#starts = perMinute === undefined ? undefined : createWindow({ span: minute })
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** True when the request may start; `leave` must be called when it ends. */
  tryEnter(): boolean {
    if (this.#waiting.size > 0 || this.#pause() > 0) return false
    this.#count()
    return true
  }

  /** Calls `enter` when the request may start; `leave` must be called when it ends. Returns a function that stops waiting. */
  wait(enter: () => void): () => void {
    this.#waiting.add(enter)
    this.#admit()
    return () => void this.#waiting.delete(enter)
  }

  leave(): void {
    this.#running -= 1
    this.#admit()
  }

  #count(): void {
    this.#running += 1
    this.#starts?.add()
  }

  /** Milliseconds until a request may start; Infinity while too many run. */
  #pause(): number {
    if (this.#running >= this.#inFlight) return Infinity
    return this.#starts?.wait(this.#max()) ?? 0
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      const pause = this.#pause()
      if (pause > 0) return this.#admitLater(pause)
      this.#waiting.delete(enter)
      this.#count()
      enter()
    }
  }

  /** A request that runs admits the next one when it leaves. */
  #admitLater(pause: number): void {
    clearTimeout(this.#timer)
    if (pause !== Infinity) this.#timer = setTimeout(() => this.#admit(), Math.ceil(pause)).unref()
  }
}

/** Requests read from a connection before an earlier one is answered. A connection with more is closed. */
const maxPipelined = 16

/** Runs the request; `leave` must be called once when it ends. */
type Run = (leave: () => void) => void

interface Waiting {
  readonly limiter: ConcurrencyLimiter | undefined
  readonly run: Run
}

class ConnectionQueue {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  #isBusy = false
  #isPaused = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  take(limiter: ConcurrencyLimiter | undefined, run: Run): void {
    if (!this.#isBusy) return this.#begin({ limiter, run })
    if (this.#waiting.length >= maxPipelined) return void this.#socket.destroy()
    this.#pause()
    this.#waiting.push({ limiter, run })
  }

  #begin({ limiter, run }: Waiting): void {
    this.#isBusy = true
    if (limiter === undefined || limiter.tryEnter()) return this.#run(limiter, run)
    this.#pause()
    const stopWaiting = limiter.wait(() => {
      this.#socket.off('close', stopWaiting)
      this.#run(limiter, run)
    })
    this.#socket.once('close', stopWaiting)
  }

  #run(limiter: ConcurrencyLimiter | undefined, run: Run): void {
    // Only the last request read can be incomplete.
    if (this.#waiting.length === 0) this.#resume()
    run(() => {
      limiter?.leave()
      this.#isBusy = false
      const next = this.#socket.destroyed ? undefined : this.#waiting.shift()
      if (next !== undefined) this.#begin(next)
    })
  }

  #pause(): void {
    if (!this.#isPaused) this.#socket.pause()
    this.#isPaused = true
  }

  #resume(): void {
    if (this.#isPaused) this.#socket.resume()
    this.#isPaused = false
  }
}

/** Runs the requests of each connection one at a time, in order. */
export class ConnectionQueues {
  readonly #queues = new WeakMap<Socket, ConnectionQueue>()

  /** Requests that wait on a closed connection never run. */
  take({ socket }: IncomingMessage, limiter: ConcurrencyLimiter | undefined, run: Run): void {
    const queue = this.#queues.get(socket) ?? new ConnectionQueue(socket)
    this.#queues.set(socket, queue)
    queue.take(limiter, run)
  }
}
