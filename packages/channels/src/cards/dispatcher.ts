// Shows all approval cards. Each is independent, so a card that fails delays no other.
import { type CardTask, type gatewayChannels, limits } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { SendFailure } from '../channel.ts'
import { KeyedWorkers } from '../workers/keyed-workers.ts'
import { Rounds } from './deadline.ts'
import { showCard, type Showing } from './show.ts'

export interface BoardOptions extends Omit<Showing, 'signal' | 'gateway' | 'rounds'> {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'cards' | 'carded'>
  readonly metrics: Metrics
}

export const cardOutcomes = ['posted', 'updated', 'reminded', 'failed', 'retried'] as const

export class CardDispatcher {
  readonly #options: BoardOptions
  readonly #lanes: KeyedWorkers<number>
  readonly #rounds = new Rounds<string>()

  constructor(options: BoardOptions) {
    this.#options = options
    this.#lanes = new KeyedWorkers(() => this.#look(), options)
  }

  /** Something may be to be done. */
  wake(): void {
    this.#lanes.wake()
  }

  /** What waited for its time does not wait any more, but for a pause that a service asked for. */
  wakeAll(): void {
    this.#lanes.wakeAll()
  }

  stop(): Promise<void> {
    return this.#lanes.stop()
  }

  async #look(): Promise<boolean> {
    const { gateway, channels, log } = this.#options
    const limit = limits.cardLanes - this.#lanes.size
    // A card that is being shown wakes this again.
    if (limit <= 0) return false
    try {
      const { items, wait: reminder = limits.cardPoll } = await gateway.cards({
        channels: [...channels.keys()],
        limit,
        skip: this.#lanes.taken(),
      })
      for (const task of items) this.#open(task)
      // What is due already is in a lane, or rests.
      this.#lanes.wakeAfter(Math.min(limits.cardPoll, Math.max(reminder, limits.channelRetryFirst)))
      return items.length < limit
    } catch (error) {
      log.debug('the gateway does not say which cards are to be shown', { error })
      this.#lanes.wakeAfter(limits.channelRetryFirst)
      return false
    }
  }

  #open(task: CardTask): void {
    if (!this.#lanes.isFree(task.id)) return
    const work = (): Promise<void> => this.#show(task).catch((error: unknown) => this.#rest(task, error))
    this.#lanes.open(task.id, work, () => this.wake())
  }

  async #show(task: CardTask): Promise<void> {
    const { metrics, log } = this.#options
    const { shown, reason } = await showCard({ ...this.#options, rounds: this.#rounds, signal: this.#lanes.signal }, task)
    this.#lanes.settle(task.id)
    metrics.counter('cards_total').inc({ channel: task.channel, outcome: shown })
    if (shown === 'failed')
      log.warn('a card could not be shown', { channel: task.channel, change: task.card.changeID, act: task.act, reason })
  }

  #rest(task: CardTask, error: unknown): void {
    if (this.#lanes.signal.aborted) return
    const { metrics, log } = this.#options
    const { id, channel, card, act } = task
    metrics.counter('cards_total').inc({ channel, outcome: 'retried' })
    log.warn('a card is shown later', { channel, change: card.changeID, act, error })
    this.#lanes.retry(id, error instanceof SendFailure ? error.after : undefined)
  }
}
