// Pool of open queues: opens a queue on first use, lends it to one or many callers, and closes the least recently used ones with
// their keys.
import { randomUUID } from 'node:crypto'
import { limits, type SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import { UnreadableQueue } from '../errors.ts'
import { isDamage, openQueue, type OpenQueue, type QueueOwner, type QueuePlace } from './open.ts'

/** Acts on queues go through here. */
export class Hold {
  /** Sessions whose queues were used since it was last asked. */
  #touched = new Set<SessionID>()
  #running = new Set<Promise<unknown>>()
  #held: { readonly id: string; readonly released: PromiseWithResolvers<void>; readonly late: NodeJS.Timeout } | undefined

  /** Waits while the queues are held. */
  async during<T>(session: SessionID, act: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held.released.promise
    this.#touched.add(session)
    const running = act()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Those that were used since the last time. */
  takeTouched(): SessionID[] {
    const touched = [...this.#touched]
    this.#touched = new Set()
    return touched
  }

  /** Resolves when no act runs. Whoever does not release it in time loses it. */
  async hold(most: number = limits.backupHold): Promise<string> {
    this.#release()
    const id = randomUUID()
    this.#held = { id, released: Promise.withResolvers(), late: setTimeout(() => this.#release(), most) }
    await Promise.allSettled(this.#running)
    return id
  }

  /** Whether nothing was written since `hold`. */
  release(id: string): boolean {
    if (this.#held?.id !== id) return false
    this.#release()
    return true
  }

  #release(): void {
    const held = this.#held
    this.#held = undefined
    clearTimeout(held?.late)
    held?.released.resolve()
  }
}

interface Slot {
  readonly queue: Promise<OpenQueue>
  users: number
}

export class QueuePool {
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
  use<T>(about: QueueOwner, act: (store: Store) => Promise<T>): Promise<T> {
    return this.hold.during(about.id, () => this.#use(about, act))
  }

  async #use<T>(about: QueueOwner, act: (store: Store) => Promise<T>): Promise<T> {
    const slot = this.#take(about)
    try {
      const { store } = await slot.queue
      return await act(store)
    } catch (error) {
      throw isDamage(error) ? new UnreadableQueue(about.id, `queues/${about.id}.db is damaged`, error) : error
    } finally {
      this.#giveBack(about.id, slot).catch((error: unknown) =>
        this.#place.log.warn('could not close a queue', { session: about.id, error }),
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

  #take(about: QueueOwner): Slot {
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
