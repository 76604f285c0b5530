// Delivers all pending messages: one worker per conversation, so that each keeps its order and none delays another.
import { type Delivery, limits, type runnerChannels, type SessionID } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { Dispatcher, retryUntilStored } from '../workers/keyed-workers.ts'
import { type DeliveryContext, deliver, type DeliveryResult } from './deliver.ts'
import { Attempts, Senders } from './senders.ts'

export interface DeliveriesOptions extends Omit<DeliveryContext, 'signal' | 'runner' | 'senders' | 'tries'> {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'outbox' | 'delivered' | 'buried' | 'sentFile'>
  readonly metrics: Metrics
  readonly log: Logger
}

export class Deliveries extends Dispatcher<SessionID> {
  readonly #options: DeliveriesOptions
  readonly #senders = new Senders(limits.channelFilesAtOnce)
  readonly #tries = new Attempts()
  /** Work was skipped because its worker, or all workers, were busy. */
  #left = false

  constructor(options: DeliveriesOptions) {
    super(options)
    this.#options = options
  }

  protected async look(): Promise<boolean> {
    const { runner, channels, log } = this.#options
    const skip = this.workers.taken()
    // Conversations that are skipped now may have new messages when their workers finish.
    if (this.workers.size > 0) this.#left = true
    try {
      const { items } = await runner.outbox({ channels: [...channels.keys()], limit: limits.channelLanes, skip })
      for (const item of items) this.#open(item)
      return items.length < limits.channelLanes && this.workers.size < limits.channelLanes
    } catch (error) {
      log.debug('could not list pending messages', { error })
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
      const result: DeliveryResult = await deliver({ ...this.#options, senders: this.#senders, tries: this.#tries, signal }, next)
      if (signal.aborted && result.kind !== 'delivered') return
      if (result.kind === 'later' || result.kind === 'frozen') return this.#rest(next.session, result, next)
      next = await this.#settle(next, result)
    }
  }

  async #settle(delivery: Delivery, result: Extract<DeliveryResult, { kind: 'delivered' | 'dead' }>): Promise<Delivery | undefined> {
    const { runner, metrics, log } = this.#options
    const { session, seq, channel } = delivery
    this.workers.settle(session)
    this.#tries.forget(session)
    if (result.kind === 'delivered') {
      const { next } = await retryUntilStored(() => runner.delivered({ session, seq }), { ...this.#options, signal: this.workers.signal })
      metrics.counter('deliveries_total').inc({ channel, outcome: result.outcome })
      return next
    }
    const { next } = await runner.buried({ session, seq, reason: result.reason })
    metrics.counter('deliveries_total').inc({ channel, outcome: 'dead' })
    log.warn('message not delivered', { channel, session, message: delivery.id, reason: result.reason })
    return next
  }

  #rest(session: SessionID, result: Extract<DeliveryResult, { kind: 'later' | 'frozen' }>, delivery?: Delivery): void {
    if (this.workers.signal.aborted) return
    if (result.kind === 'frozen') {
      this.#tries.forget(session)
      // An event announces the end of a freeze. Polling covers an event that arrived during this attempt.
      return this.workers.rest(session, limits.connectTime)
    }
    const { metrics, log } = this.#options
    if (delivery !== undefined) {
      metrics.counter('deliveries_total').inc({ channel: delivery.channel, outcome: 'retried' })
      log.warn('message delivery will be retried', { channel: delivery.channel, session, message: delivery.id, error: result.error })
    }
    this.workers.retry(session, result.after)
  }
}
