// All cards that are to be shown: each by itself, so that one that cannot be shown now keeps no other waiting.
import { type CardTask, type gatewayChannels, limits } from '@gatehouse/contracts'
import { type Backoff, backoff, type Logger, type Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { SendFailure } from '../channel.ts'
import { showCard, type Showing } from './show.ts'

export interface BoardOptions extends Omit<Showing, 'signal' | 'gateway'> {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'cards' | 'carded'>
  readonly metrics: Metrics
  readonly log: Logger
  /** Milliseconds; default those of the limits. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

export const cardOutcomes = ['posted', 'updated', 'reminded', 'failed', 'retried'] as const

export class Board {
  readonly #options: BoardOptions
  readonly #stopping = new AbortController()
  readonly #lanes = new Map<number, Promise<void>>()
  readonly #resting = new Map<number, NodeJS.Timeout>()
  readonly #delays = new Map<number, Backoff>()
  #wanted = false
  #looking: Promise<void> | undefined
  #next: NodeJS.Timeout | undefined

  constructor(options: BoardOptions) {
    this.#options = options
  }

  /** Something may be to be done. */
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
    clearTimeout(this.#next)
    for (const timer of this.#resting.values()) clearTimeout(timer)
    await Promise.all([this.#looking, ...this.#lanes.values()])
  }

  async #look(): Promise<void> {
    clearTimeout(this.#next)
    this.#wanted = false
    const { gateway, channels, log } = this.#options
    const limit = limits.cardLanes - this.#lanes.size
    // A card that is being shown wakes this again.
    if (limit <= 0) return
    let wait: number = limits.cardPoll
    try {
      const asked = { channels: [...channels.keys()], limit, skip: [...this.#lanes.keys(), ...this.#resting.keys()] }
      const { items, wait: reminder = wait } = await gateway.cards(asked)
      for (const task of items) this.#open(task)
      // What is due already is in a lane, or rests.
      wait = Math.min(wait, Math.max(reminder, limits.channelRetryFirst))
    } catch (error) {
      log.debug('the gateway does not say which cards are to be shown', { error })
      wait = limits.channelRetryFirst
    }
    if (!this.#stopping.signal.aborted) this.#next = setTimeout(() => this.wake(), wait)
  }

  #open(task: CardTask): void {
    const { id } = task
    if (this.#lanes.has(id) || this.#resting.has(id) || this.#stopping.signal.aborted) return
    const lane = this.#show(task)
      .catch((error: unknown) => this.#rest(task, error))
      .finally(() => {
        this.#lanes.delete(id)
        this.wake()
      })
    this.#lanes.set(id, lane)
  }

  async #show(task: CardTask): Promise<void> {
    const { metrics, log } = this.#options
    const { shown, reason } = await showCard({ ...this.#options, signal: this.#stopping.signal }, task)
    this.#delays.delete(task.id)
    metrics.counter('cards_total').inc({ channel: task.channel, outcome: shown })
    if (shown === 'failed')
      log.warn('a card could not be shown', { channel: task.channel, change: task.card.changeID, act: task.act, reason })
  }

  #rest(task: CardTask, error: unknown): void {
    if (this.#stopping.signal.aborted) return
    const { metrics, log, retryFirst = limits.channelRetryFirst, retryMost = limits.channelRetryMost } = this.#options
    const { id, channel, card, act } = task
    const delays = this.#delays.get(id) ?? backoff({ first: retryFirst, most: retryMost })
    this.#delays.set(id, delays)
    const after = error instanceof SendFailure ? (error.after ?? 0) : 0
    metrics.counter('cards_total').inc({ channel, outcome: 'retried' })
    log.warn('a card is shown later', { channel, change: card.changeID, act, error })
    this.#resting.set(
      id,
      setTimeout(
        () => {
          this.#resting.delete(id)
          this.wake()
        },
        Math.max(delays.next(), after),
      ),
    )
  }
}
