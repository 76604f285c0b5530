// One act at a time per name; acts under different names run side by side.

export type Lock = <T>(name: string, act: () => Promise<T>) => Promise<T>

/**
 * Whatever ends a held change is done under this, and an approval under that of its group too. So a rejection waits for
 * nothing but another word on the same change. No group has a space in its id.
 */
export const changeLock = (id: string): string => `change ${id}`

export const createLock = (): Lock => {
  const last = new Map<string, Promise<unknown>>()
  return async (name, act) => {
    const before = last.get(name) ?? Promise.resolve()
    const mine = before.then(act, act)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
