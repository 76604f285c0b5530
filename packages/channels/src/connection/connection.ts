// Keeps one channel connected. Reconnects with backoff, and with long pauses after its credentials were refused.
import { setTimeout as pause } from 'node:timers/promises'
import { type ChannelView, limits } from '@gatehouse/contracts'
import { backoff, type Logger, type Metrics, wallTime } from '@gatehouse/kernel'
import { type Channel, ChannelFault, type Listener } from '../channel.ts'

export interface ConnectionOptions {
  readonly channel: Channel
  readonly take: Listener['take']
  readonly decide: Listener['decide']
  readonly metrics: Metrics
  readonly log: Logger
}

export type ConnectionState = Pick<ChannelView, 'name' | 'state' | 'since' | 'account' | 'reason'>

export class ChannelConnection {
  readonly #options: ConnectionOptions
  readonly #stopping = new AbortController()
  #state: ConnectionState
  #kept: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#state = { name: options.channel.name, state: 'connecting', since: wallTime() }
  }

  get state(): ConnectionState {
    return this.#state
  }

  start(): void {
    this.#kept = this.#keep()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#options.channel.close()
    await this.#kept
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping
    const away = backoff({ first: limits.upstreamRetryFirst, most: limits.upstreamRetryMost })
    while (!signal.aborted) {
      const began = performance.now()
      const fault = await this.#hear()
      if (signal.aborted) return
      if (performance.now() - began > limits.upstreamSustained) away.reset()
      // Services suspend accounts that retry with refused credentials.
      const delay = fault.kind === 'refused' ? limits.upstreamRetryDenied : away.next()
      await pause(delay, undefined, { signal }).catch(() => undefined)
    }
  }

  async #hear(): Promise<ChannelFault> {
    const { channel, log } = this.#options
    this.#become('connecting')
    try {
      await channel.receive(this.#listener())
      return new ChannelFault('away', 'the connection ended')
    } catch (error) {
      const fault = error instanceof ChannelFault ? error : new ChannelFault('away', 'the connection was lost', error)
      if (this.#stopping.signal.aborted) return fault
      this.#become(fault.kind === 'refused' ? 'refused' : 'down', { reason: fault.message })
      log.warn('channel disconnected', { channel: channel.name, reason: fault.message, error: fault.cause })
      return fault
    }
  }

  #listener(): Listener {
    const { take, decide, channel, log } = this.#options
    return {
      take,
      decide,
      signal: this.#stopping.signal,
      up: (account) => {
        if (this.#state.state !== 'up') log.info('channel connected', { channel: channel.name, account })
        this.#become('up', account === undefined ? {} : { account })
      },
    }
  }

  #become(state: ConnectionState['state'], more: Pick<ConnectionState, 'account' | 'reason'> = {}): void {
    const { channel, metrics } = this.#options
    const since = state === this.#state.state ? this.#state.since : wallTime()
    this.#state = { name: channel.name, state, since, ...more }
    metrics.gauge('channel_up').set({ channel: channel.name }, state === 'up' ? 1 : 0)
  }
}
