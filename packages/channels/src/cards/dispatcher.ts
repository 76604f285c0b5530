// Posts and updates all approval cards. Each card is independent, so a failed one delays no other.
import { type CardTask, type gatewayChannels, limits } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { SendFailure } from '../channel.ts'
import { Dispatcher } from '../workers/keyed-workers.ts'
import { OncePerRecipient } from './once-per-recipient.ts'
import { showCard, type CardContext } from './show.ts'

export interface CardDispatcherOptions extends Omit<CardContext, 'signal' | 'gateway' | 'oncePerRecipient'> {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'cards' | 'carded'>
  readonly metrics: Metrics
}

export const cardOutcomes = ['posted', 'updated', 'reminded', 'failed', 'retried'] as const

export class CardDispatcher extends Dispatcher<number> {
  readonly #options: CardDispatcherOptions
  readonly #oncePerRecipient = new OncePerRecipient<string>()

  constructor(options: CardDispatcherOptions) {
    super(options)
    this.#options = options
  }

  protected async look(): Promise<boolean> {
    const { gateway, channels, log } = this.#options
    const limit = limits.cardLanes - this.workers.size
    // A finished worker wakes the dispatcher again.
    if (limit <= 0) return false
    try {
      const { items, wait: reminder = limits.cardPoll } = await gateway.cards({
        channels: [...channels.keys()],
        limit,
        skip: this.workers.taken(),
      })
      for (const task of items) this.#open(task)
      // Cards that are already due have a worker or are waiting.
      this.workers.wakeAfter(Math.min(limits.cardPoll, Math.max(reminder, limits.channelRetryFirst)))
      return items.length < limit
    } catch (error) {
      log.debug('could not list pending cards', { error })
      this.workers.wakeAfter(limits.channelRetryFirst)
      return false
    }
  }

  #open(task: CardTask): void {
    if (!this.workers.isFree(task.id)) return
    const work = (): Promise<void> => this.#show(task).catch((error: unknown) => this.#rest(task, error))
    this.workers.open(task.id, work, () => this.wake())
  }

  async #show(task: CardTask): Promise<void> {
    const { metrics, log } = this.#options
    const { shown, reason } = await showCard(
      { ...this.#options, oncePerRecipient: this.#oncePerRecipient, signal: this.workers.signal },
      task,
    )
    this.workers.settle(task.id)
    metrics.counter('cards_total').inc({ channel: task.channel, outcome: shown })
    if (shown === 'failed')
      log.warn('approval card not posted', { channel: task.channel, change: task.card.changeID, act: task.act, reason })
  }

  #rest(task: CardTask, error: unknown): void {
    if (this.workers.signal.aborted) return
    const { metrics, log } = this.#options
    const { id, channel, card, act } = task
    metrics.counter('cards_total').inc({ channel, outcome: 'retried' })
    log.warn('approval card will be retried', { channel, change: card.changeID, act, error })
    this.workers.retry(id, error instanceof SendFailure ? error.after : undefined)
  }
}
