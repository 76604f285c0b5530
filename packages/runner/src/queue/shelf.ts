// The open queues: each opened on first need, lent to one act or many, the least used ones closed again with their keys.
import { limits, type SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { About } from './about.ts'
import { isDamage } from './damage.ts'
import { type OpenQueue, openQueue, type QueuePlace } from './open.ts'
import { Hold } from './hold.ts'
import { UnreadableQueue } from './unreadable.ts'

interface Slot {
  readonly queue: Promise<OpenQueue>
  users: number
}

export class Shelf {
  readonly #place: QueuePlace
  readonly #most: number
  readonly hold = new Hold()
  /** In the order of their last use. */
  readonly #slots = new Map<SessionID, Slot>()

  constructor(place: QueuePlace, most: number = limits.openQueues) {
    this.#place = place
    this.#most = most
  }

  /** Makes the queue of a new session. `UnreadableQueue` when what is there cannot be used. */
  use<T>(about: About, act: (store: Store) => Promise<T>): Promise<T> {
    return this.hold.during(about.id, () => this.#use(about, act))
  }

  async #use<T>(about: About, act: (store: Store) => Promise<T>): Promise<T> {
    const slot = this.#take(about)
    try {
      const { store } = await slot.queue
      return await act(store)
    } catch (error) {
      throw isDamage(error) ? new UnreadableQueue(about.id, `queues/${about.id}.db is damaged`, error) : error
    } finally {
      this.#giveBack(about.id, slot).catch((error: unknown) =>
        this.#place.log.warn('queue not closed in order', { session: about.id, error }),
      )
    }
  }

  /** Closes one queue, so that its key leaves the memory, unless somebody uses it now. */
  async release(session: SessionID): Promise<void> {
    const slot = this.#slots.get(session)
    if (slot?.users === 0) await this.#drop(session, slot)
  }

  /** Closes one queue that nobody will ask for again, after the acts that have begun. */
  async forget(session: SessionID): Promise<void> {
    const slot = this.#slots.get(session)
    if (slot !== undefined) await this.#drop(session, slot)
  }

  /** After the acts that have begun. */
  async close(): Promise<void> {
    await Promise.all([...this.#slots].map((entry) => this.#drop(...entry)))
  }

  #take(about: About): Slot {
    const slot = this.#slots.get(about.id) ?? { queue: openQueue(this.#place, about), users: 0 }
    this.#slots.delete(about.id)
    this.#slots.set(about.id, slot)
    slot.users += 1
    return slot
  }

  /** One that failed to open is tried anew by the next act. */
  async #giveBack(session: SessionID, slot: Slot): Promise<void> {
    slot.users -= 1
    const opened = await slot.queue.catch(() => undefined)
    if (opened === undefined && this.#slots.get(session) === slot) this.#slots.delete(session)
    const unused = this.#slots.size > this.#most ? [...this.#slots].find(([, { users }]) => users === 0) : undefined
    if (unused !== undefined) await this.#drop(...unused)
  }

  async #drop(session: SessionID, slot: Slot): Promise<void> {
    this.#slots.delete(session)
    const opened = await slot.queue.catch(() => undefined)
    await opened?.store.close()
  }
}
