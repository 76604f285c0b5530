// Locks by name: one act at a time for each name.
import { KeyedQueue } from '@gatehouse/kernel'

export type Lock = <T>(name: string, act: () => Promise<T>) => Promise<T>

/**
 * The lock under which a change is decided or ended. An approval also holds the lock of its group; a rejection waits only for
 * other decisions on the same change. Contains a space, so it is not a group id.
 */
export const changeLock = (id: string): string => `change ${id}`

/** Locks of the whole unit, for rules that span groups. They contain a space, so they are not group ids. */
export const unitLocks = {
  /** An address is routed to one group. */
  wirings: 'all wirings',
  /** No mount overlaps a directory that another group can write. */
  mounts: 'all mounts',
  /** Each name in the catalog has one entry. */
  catalog: 'the catalog',
} as const

export type UnitLock = (typeof unitLocks)[keyof typeof unitLocks]

export const createLock = (): Lock => {
  const turns = new KeyedQueue()
  return (name, act) => turns.run(name, act)
}
