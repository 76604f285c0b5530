// The open queues: each opened on first need, lent to one act or many, the least used ones closed again with their keys.
import { limits, type SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { About } from './about.ts'
import { isDamage } from './damage.ts'
import { type OpenQueue, openQueue, type QueuePlace } from './open.ts'
import { UnreadableQueue } from './unreadable.ts'

export interface Shelf {
  /** Makes the queue of a new session. `UnreadableQueue` when what is there cannot be used. */
  use<T>(about: About, act: (store: Store) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface Slot {
  readonly queue: Promise<OpenQueue>
  users: number
}

export const createShelf = (place: QueuePlace, most: number = limits.openQueues): Shelf => {
  // In the order of their last use.
  const slots = new Map<SessionID, Slot>()

  const take = (about: About): Slot => {
    const slot = slots.get(about.id) ?? { queue: openQueue(place, about), users: 0 }
    slots.delete(about.id)
    slots.set(about.id, slot)
    slot.users += 1
    return slot
  }
  const drop = async (session: SessionID, slot: Slot): Promise<void> => {
    slots.delete(session)
    const opened = await slot.queue.catch(() => undefined)
    await opened?.store.close()
  }
  const trim = async (): Promise<void> => {
    const unused = slots.size > most ? [...slots].find(([, slot]) => slot.users === 0) : undefined
    if (unused !== undefined) await drop(...unused)
  }
  const giveBack = async (session: SessionID, slot: Slot): Promise<void> => {
    slot.users -= 1
    const failed = await slot.queue.then(() => false, () => true)
    if (failed && slots.get(session) === slot) slots.delete(session)
    await trim()
  }
  return {
    async use(about, act) {
      const slot = take(about)
      try {
        const { store } = await slot.queue
        return await act(store)
      } catch (error) {
        throw isDamage(error) ? new UnreadableQueue(about.id, `queues/${about.id}.db is damaged`, error) : error
      } finally {
        giveBack(about.id, slot).catch((error: unknown) => place.log.warn('queue not closed in order', { session: about.id, error }))
      }
    },
    async close() {
      await Promise.all([...slots].map((entry) => drop(...entry)))
    },
  }
}
