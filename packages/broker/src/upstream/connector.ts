// Keeps at most one connection to a server: made on first need by one attempt at a time, and again after it was lost.
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import { classify } from './classify.ts'
import { NotConnected, UpstreamFailure } from './failure.ts'
import { Live, type OpenOptions } from './live.ts'
import { Schedule } from './schedule.ts'
import { untilAborted } from './until-aborted.ts'

export interface ConnectorOptions extends Omit<OpenOptions, 'signal' | 'onDead'> {
  readonly metrics: Metrics
  /** Whether there is a connection, told whenever it changes. */
  readonly onUp: (up: 0 | 1) => void
}

export class Connector {
  readonly schedule = new Schedule()
  readonly #options: ConnectorOptions
  #live: Live | undefined
  #connecting: Promise<Live> | undefined
  #hasBeenUp = false
  readonly #ending = new AbortController()

  constructor(options: ConnectorOptions) {
    this.#options = options
    this.#show(0)
  }

  get live(): Live | undefined {
    return this.#live
  }

  get isConnecting(): boolean {
    return this.#connecting !== undefined
  }

  /** Rejects with the signal's reason or `UpstreamFailure`; giving up does not end the attempt, which others wait for. */
  async connected(signal: AbortSignal): Promise<Live> {
    if (this.#live !== undefined) return this.#live
    this.#connecting ??= this.#attempt().finally(() => (this.#connecting = undefined))
    return untilAborted(this.#connecting, signal)
  }

  /** Nobody gets this connection any more; who uses it still may. */
  lost(live: Live, failure: UpstreamFailure): void {
    if (this.#live === live) {
      this.#live = undefined
      this.schedule.failed(failure)
      this.#show(0)
      if (!this.#ending.signal.aborted) this.#options.log.warn('the connection to a tool server is lost', { reason: failure.message })
    }
    live.lose(failure)
  }

  retire(): void {
    const reason = new UpstreamFailure('retired')
    this.#ending.abort(reason)
    this.#live?.retire(reason)
    this.#live = undefined
    this.#show(0)
  }

  /** At once, whoever uses it. */
  async close(): Promise<void> {
    const live = this.#live
    this.retire()
    await this.#connecting?.catch(() => undefined)
    await live?.connection.close(new UpstreamFailure('retired'))
  }

  async #attempt(): Promise<Live> {
    const { last, wait } = this.schedule
    if (last !== undefined && wait > limits.upstreamRetryWait) throw new NotConnected(last, wait)
    if (wait > 0) await pause(wait)
    if (this.#ending.signal.aborted) throw new UpstreamFailure('retired')
    try {
      return this.#up(
        await Live.open({ ...this.#options, signal: this.#ending.signal, onDead: (live, failure) => this.#dead(live, failure) }),
      )
    } catch (error) {
      const failure = classify(error)
      this.schedule.failed(failure)
      this.#options.log.warn('a tool server cannot be used', { reason: failure.message })
      throw new NotConnected(failure, this.schedule.wait)
    }
  }

  #dead(live: Live, failure: UpstreamFailure): void {
    this.lost(live, failure)
    this.#lookAgain()
  }

  /** Nobody may call it for days: that it is back is seen as its loss was. */
  #lookAgain(): void {
    const look = (): void => {
      if (this.#ending.signal.aborted || this.#live !== undefined) return
      void this.connected(this.#ending.signal).catch(() => this.#lookAgain())
    }
    setTimeout(look, limits.listPoll).unref()
  }

  #up(live: Live): Live {
    void live.connection.gone.then((reason) => this.lost(live, reason))
    if (this.#ending.signal.aborted) {
      live.retire(new UpstreamFailure('retired'))
      return live
    }
    if (this.#hasBeenUp) this.#options.metrics.counter('broker_upstream_restarts_total').inc({ server: this.#options.name })
    this.#hasBeenUp = true
    this.#live = live
    this.schedule.up()
    this.#show(1)
    return live
  }

  #show(up: 0 | 1): void {
    this.#options.onUp(up)
  }
}
