// Locks by name: one act at a time for each name.
import { KeyedQueue } from '@gatehouse/kernel'

export type Lock = <T>(name: string, act: () => Promise<T>) => Promise<T>

/**
 * Whatever ends a held change is done under this, and an approval under that of its group too. So a rejection waits for
 * nothing but another word on the same change. No group has a space in its id.
 */
export const changeLock = (id: string): string => `change ${id}`

/** Locks of the whole unit. What one change does under them is verified after what another has done. No group has a space in its id. */
export const unitLocks = {
  /** An address leads to one group. */
  wirings: 'all wirings',
  /** No mount lies in what another group writes. */
  mounts: 'all mounts',
  /** A name of the catalog has one entry. */
  catalog: 'the catalog',
} as const

export type UnitLock = (typeof unitLocks)[keyof typeof unitLocks]

export const createLock = (): Lock => {
  const turns = new KeyedQueue()
  return (name, act) => turns.run(name, act)
}
