// Everything that waits to be delivered: one lane a conversation, so that each keeps its order and none holds up another.
import { type Delivery, limits, type runnerChannels, type SessionID } from '@gatehouse/contracts'
import { type Backoff, backoff, type Logger, type Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { type Courier, deliver, type Fate } from './deliver.ts'

export interface DeliveriesOptions extends Omit<Courier, 'signal' | 'runner'> {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'outbox' | 'delivered' | 'buried'>
  readonly metrics: Metrics
  readonly log: Logger
  /** Milliseconds; default those of the limits. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #stopping = new AbortController()
  readonly #lanes = new Map<SessionID, Promise<void>>()
  /** Conversations that wait for their next attempt. */
  readonly #resting = new Map<SessionID, NodeJS.Timeout>()
  readonly #delays = new Map<SessionID, Backoff>()
  #wanted = false
  /** Something was left because its lane was busy, or all were. */
  #left = false
  #looking: Promise<void> | undefined
  #late: NodeJS.Timeout | undefined

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** Something may be there. */
  wake(): void {
    this.#wanted = true
    if (this.#looking !== undefined || this.#stopping.signal.aborted) return
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
      if (this.#wanted) this.wake()
    })
  }

  /** What waited for its time does not wait any more. */
  wakeAll(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
    this.wake()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#late)
    for (const timer of this.#resting.values()) clearTimeout(timer)
    await Promise.all([this.#looking, ...this.#lanes.values()])
  }

  async #look(): Promise<void> {
    clearTimeout(this.#late)
    const { runner, channels, log } = this.#options
    this.#wanted = false
    const skip = [...this.#lanes.keys(), ...this.#resting.keys()]
    // Those that are skipped now may have something new by the time that they are done.
    if (this.#lanes.size > 0) this.#left = true
    try {
      const { items } = await runner.outbox({ channels: [...channels.keys()], limit: limits.channelLanes, skip })
      for (const item of items) this.#open(item)
    } catch (error) {
      log.debug('the runner does not say what is to be delivered', { error })
      this.#late = setTimeout(() => this.wake(), limits.restartFirst)
    }
  }

  #open(first: Delivery): void {
    const { session } = first
    if (this.#lanes.has(session) || this.#resting.has(session) || this.#stopping.signal.aborted) return
    if (this.#lanes.size >= limits.channelLanes) {
      this.#left = true
      return
    }
    const lane = this.#run(first)
      .catch((error: unknown) => this.#rest(session, { kind: 'later', error }))
      .finally(() => {
        this.#lanes.delete(session)
        if (!this.#left) return
        this.#left = this.#lanes.size > 0
        this.wake()
      })
    this.#lanes.set(session, lane)
  }

  async #run(first: Delivery): Promise<void> {
    const { signal } = this.#stopping
    let next: Delivery | undefined = first
    while (next !== undefined && !signal.aborted) {
      const fate: Fate = await deliver({ ...this.#options, signal }, next)
      if (signal.aborted && fate.kind !== 'delivered') return
      if (fate.kind === 'later' || fate.kind === 'frozen') return this.#rest(next.session, fate, next)
      next = await this.#settle(next, fate)
    }
  }

  async #settle(delivery: Delivery, fate: Extract<Fate, { kind: 'delivered' | 'dead' }>): Promise<Delivery | undefined> {
    const { runner, metrics, log } = this.#options
    const { session, seq, channel } = delivery
    this.#delays.delete(session)
    if (fate.kind === 'delivered') {
      const { next } = await runner.delivered({ session, seq })
      metrics.counter('deliveries_total').inc({ channel, outcome: fate.outcome })
      return next
    }
    const { next } = await runner.buried({ session, seq, reason: fate.reason })
    metrics.counter('deliveries_total').inc({ channel, outcome: 'dead' })
    log.warn('a message could not be delivered', { channel, session, message: delivery.id, reason: fate.reason })
    return next
  }

  #rest(session: SessionID, fate: Extract<Fate, { kind: 'later' | 'frozen' }>, delivery?: Delivery): void {
    if (this.#stopping.signal.aborted) return
    if (fate.kind === 'frozen') {
      // Its end is told; asked as well, since that word may have come while this one was on its way.
      this.#resting.set(
        session,
        setTimeout(() => this.#again(session), limits.connectTime),
      )
      return
    }
    const { metrics, log, retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = this.#options
    const delays = this.#delays.get(session) ?? backoff({ first: retryFirst, most: retryMost })
    this.#delays.set(session, delays)
    if (delivery !== undefined) {
      metrics.counter('deliveries_total').inc({ channel: delivery.channel, outcome: 'retried' })
      log.warn('a message is delivered later', { channel: delivery.channel, session, message: delivery.id, error: fate.error })
    }
    this.#resting.set(
      session,
      setTimeout(() => this.#again(session), Math.max(delays.next(), fate.after ?? 0)),
    )
  }

  #again(session: SessionID): void {
    this.#resting.delete(session)
    this.wake()
  }
}
