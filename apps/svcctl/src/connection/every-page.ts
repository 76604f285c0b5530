// Follows the cursors of a list to its end, or until there is enough. Whoever is told to read slower reads slower.
import { setTimeout as pause } from 'node:timers/promises'
import { isServiceError } from '@gatehouse/contracts'

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

const mostTries = 10
/** Seconds. */
const longest = 30

/** Seconds until the unit takes the question; undefined where it does not say so, or where it is something else that failed. */
const pauseOf = (error: unknown): number | undefined => {
  if (!isServiceError(error) || error.code !== 'rate-limited') return undefined
  const seconds = Number(error.extra?.['retryAfter'] ?? Number.NaN)
  return seconds >= 0 && seconds <= longest ? seconds : undefined
}

const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const seconds = pauseOf(error)
      if (seconds === undefined || tries === mostTries) throw error
      await pause(seconds * 1000)
    }
  }
}

export const everyPage = async <T>(ask: (cursor: string | undefined) => Promise<Page<T>>, enough = Infinity): Promise<T[]> => {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await patiently(() => ask(cursor))
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < enough)
  return items.slice(0, enough)
}
