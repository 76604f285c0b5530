// Shows all approval cards. Each is independent, so a card that fails delays no other.
import { type CardTask, type gatewayChannels, limits } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { SendFailure } from '../channel.ts'
import { Dispatcher } from '../workers/keyed-workers.ts'
import { Rounds } from './deadline.ts'
import { showCard, type Showing } from './show.ts'

export interface BoardOptions extends Omit<Showing, 'signal' | 'gateway' | 'rounds'> {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'cards' | 'carded'>
  readonly metrics: Metrics
}

export const cardOutcomes = ['posted', 'updated', 'reminded', 'failed', 'retried'] as const

export class CardDispatcher extends Dispatcher<number> {
  readonly #options: BoardOptions
  readonly #rounds = new Rounds<string>()

  constructor(options: BoardOptions) {
    super(options)
    this.#options = options
  }

  protected async look(): Promise<boolean> {
    const { gateway, channels, log } = this.#options
    const limit = limits.cardLanes - this.workers.size
    // A card that is being shown wakes this again.
    if (limit <= 0) return false
    try {
      const { items, wait: reminder = limits.cardPoll } = await gateway.cards({
        channels: [...channels.keys()],
        limit,
        skip: this.workers.taken(),
      })
      for (const task of items) this.#open(task)
      // What is due already is in a lane, or rests.
      this.workers.wakeAfter(Math.min(limits.cardPoll, Math.max(reminder, limits.channelRetryFirst)))
      return items.length < limit
    } catch (error) {
      log.debug('the gateway does not say which cards are to be shown', { error })
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
    const { shown, reason } = await showCard({ ...this.#options, rounds: this.#rounds, signal: this.workers.signal }, task)
    this.workers.settle(task.id)
    metrics.counter('cards_total').inc({ channel: task.channel, outcome: shown })
    if (shown === 'failed')
      log.warn('a card could not be shown', { channel: task.channel, change: task.card.changeID, act: task.act, reason })
  }

  #rest(task: CardTask, error: unknown): void {
    if (this.workers.signal.aborted) return
    const { metrics, log } = this.#options
    const { id, channel, card, act } = task
    metrics.counter('cards_total').inc({ channel, outcome: 'retried' })
    log.warn('a card is shown later', { channel, change: card.changeID, act, error })
    this.workers.retry(id, error instanceof SendFailure ? error.after : undefined)
  }
}
