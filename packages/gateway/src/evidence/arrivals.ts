// Word from a witness, for those who wait for it. The gateway calls nobody: it says what it wants, and is told.

export interface Arrivals {
  /** What everybody was waiting for under this key is in the database. */
  tell(key: string): void
  /** Resolves with whether it came before the milliseconds were over. Listens from the moment of the call. */
  wait(key: string, time: number): Promise<boolean>
}

export const serverArrival = (server: string): string => `server ${server}`
export const pathArrival = (source: string): string => `path ${source}`
export const treeArrival = (names: readonly string[]): string => `tree ${names.join(' ')}`

export const createArrivals = (): Arrivals => {
  const waiting = new Map<string, Set<() => void>>()
  return {
    tell: (key) => {
      const told = waiting.get(key)
      waiting.delete(key)
      for (const tell of told ?? []) tell()
    },
    wait: (key, time) => {
      if (time <= 0) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others)
      const tell = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        others.delete(tell)
        if (others.size === 0 && waiting.get(key) === others) waiting.delete(key)
        resolve(false)
      }, time)
      others.add(tell)
      return promise
    },
  }
}
