// Which updates were dealt with. Telegram forgets what lies before the number that is asked for, and brings the rest again after
// a death: so the number never passes one that is still to be taken. It is Telegram that keeps it.
import { limits } from '@gatehouse/contracts'

export class Backlog {
  readonly #done = new Set<number>()
  /** Since when each waits for room in its conversation, milliseconds. */
  readonly #since = new Map<number, number>()
  #next: number | undefined

  /** What to ask for: the first that was not dealt with. */
  get next(): number | undefined {
    return this.#next
  }

  /** Some of what was brought must be brought again. */
  get isWaiting(): boolean {
    return this.#since.size > 0
  }

  has(id: number): boolean {
    return this.#done.has(id)
  }

  settle(id: number): void {
    this.#done.add(id)
    this.#since.delete(id)
  }

  /** False when it has waited for long enough: a conversation that is flooded must not hold up the others for ever. */
  hold(id: number): boolean {
    const now = performance.now()
    const since = this.#since.get(id) ?? now
    this.#since.set(id, since)
    return now - since < limits.channelHold
  }

  /** However long it takes: what it waited for before counts no more. */
  keep(id: number): void {
    this.#since.set(id, performance.now())
  }

  /** `brought`: all of one answer. After an empty one nothing is left there that was dealt with here. */
  advance(brought: readonly number[]): void {
    const open = brought.filter((id) => !this.#done.has(id))
    this.#next = brought.length === 0 ? undefined : open.length > 0 ? Math.min(...open) : Math.max(...brought) + 1
    for (const id of this.#done) if (this.#next === undefined || id < this.#next) this.#done.delete(id)
    for (const id of this.#since.keys()) if (!brought.includes(id)) this.#since.delete(id)
  }
}
