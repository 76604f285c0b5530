// Everything that waits to be delivered: one lane a conversation, so that each keeps its order and none holds up another.
import { type Delivery, limits, type runnerChannels, type SessionID } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { Dispatcher, retryUntilStored } from '../workers/keyed-workers.ts'
import { type Courier, deliver, type Fate } from './deliver.ts'
import { Attempts, Senders } from './senders.ts'

export interface DeliveriesOptions extends Omit<Courier, 'signal' | 'runner' | 'porters' | 'tries'> {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'outbox' | 'delivered' | 'buried' | 'sentFile'>
  readonly metrics: Metrics
  readonly log: Logger
}

export class Deliveries extends Dispatcher<SessionID> {
  readonly #options: DeliveriesOptions
  readonly #porters = new Senders(limits.channelFilesAtOnce)
  readonly #tries = new Attempts()
  /** Something was left because its lane was busy, or all were. */
  #left = false

  constructor(options: DeliveriesOptions) {
    super(options)
    this.#options = options
  }

  protected async look(): Promise<boolean> {
    const { runner, channels, log } = this.#options
    const skip = this.workers.taken()
    // Those that are skipped now may have something new by the time that they are done.
    if (this.workers.size > 0) this.#left = true
    try {
      const { items } = await runner.outbox({ channels: [...channels.keys()], limit: limits.channelLanes, skip })
      for (const item of items) this.#open(item)
      return items.length < limits.channelLanes && this.workers.size < limits.channelLanes
    } catch (error) {
      log.debug('the runner does not say what is to be delivered', { error })
      this.workers.wakeAfter(limits.restartFirst)
      return false
    }
  }

  #open(first: Delivery): void {
    const { session } = first
    if (!this.workers.isFree(session)) return
    if (this.workers.size >= limits.channelLanes) {
      this.#left = true
      return
    }
    const work = (): Promise<void> => this.#run(first).catch((error: unknown) => this.#rest(session, { kind: 'later', error }))
    this.workers.open(session, work, () => {
      if (!this.#left) return
      this.#left = this.workers.size > 0
      this.wake()
    })
  }

  async #run(first: Delivery): Promise<void> {
    const { signal } = this.workers
    let next: Delivery | undefined = first
    while (next !== undefined && !signal.aborted) {
      const fate: Fate = await deliver({ ...this.#options, porters: this.#porters, tries: this.#tries, signal }, next)
      if (signal.aborted && fate.kind !== 'delivered') return
      if (fate.kind === 'later' || fate.kind === 'frozen') return this.#rest(next.session, fate, next)
      next = await this.#settle(next, fate)
    }
  }

  async #settle(delivery: Delivery, fate: Extract<Fate, { kind: 'delivered' | 'dead' }>): Promise<Delivery | undefined> {
    const { runner, metrics, log } = this.#options
    const { session, seq, channel } = delivery
    this.workers.settle(session)
    this.#tries.forget(session)
    if (fate.kind === 'delivered') {
      const { next } = await retryUntilStored(() => runner.delivered({ session, seq }), { ...this.#options, signal: this.workers.signal })
      metrics.counter('deliveries_total').inc({ channel, outcome: fate.outcome })
      return next
    }
    const { next } = await runner.buried({ session, seq, reason: fate.reason })
    metrics.counter('deliveries_total').inc({ channel, outcome: 'dead' })
    log.warn('a message could not be delivered', { channel, session, message: delivery.id, reason: fate.reason })
    return next
  }

  #rest(session: SessionID, fate: Extract<Fate, { kind: 'later' | 'frozen' }>, delivery?: Delivery): void {
    if (this.workers.signal.aborted) return
    if (fate.kind === 'frozen') {
      this.#tries.forget(session)
      // The end of a freeze is told; asked as well, since that word may have come while this one was on its way.
      return this.workers.rest(session, limits.connectTime)
    }
    const { metrics, log } = this.#options
    if (delivery !== undefined) {
      metrics.counter('deliveries_total').inc({ channel: delivery.channel, outcome: 'retried' })
      log.warn('a message is delivered later', { channel: delivery.channel, session, message: delivery.id, error: fate.error })
    }
    this.workers.retry(session, fate.after)
  }
}
