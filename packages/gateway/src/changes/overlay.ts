// Changes that were rejected while neither journal nor database could be written. Until one can, this is what they are.
import type { Change } from '@gatehouse/contracts'
import { isUnapplied } from './stop.ts'

export interface Overlay {
  /** From now on the change is this, until the database has an end of it. */
  put(change: Change): void
  /** The change as it is, from the change as the database has it. */
  over(stored: Change): Change
  /** Whether it was rejected, and the database may not know it yet. */
  has(id: string): boolean
}

export const createOverlay = (): Overlay => {
  const changes = new Map<string, Change>()
  return {
    put: (change) => void changes.set(change.id, change),
    has: (id) => changes.has(id),
    over: (stored) => {
      if (isUnapplied(stored)) return changes.get(stored.id) ?? stored
      changes.delete(stored.id)
      return stored
    },
  }
}
