// One act at a time per name; acts under different names run side by side.

export type Lock = <T>(name: string, act: () => Promise<T>) => Promise<T>

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
