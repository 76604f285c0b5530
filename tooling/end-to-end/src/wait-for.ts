// Waits for a condition, never for a time.
import { setTimeout as delay } from 'node:timers/promises'

/** Asks every 25 ms until the answer is truthy; rejects after `deadline` ms, naming what was waited for and the last failure. */
export const waitFor = async <T>(what: string, deadline: number, condition: () => Promise<T> | T): Promise<NonNullable<T>> => {
  const end = Date.now() + deadline
  let last: unknown
  for (;;) {
    try {
      const answer = await condition()
      if (answer !== false && answer !== undefined && answer !== null) return answer
    } catch (error) {
      last = error
    }
    if (Date.now() > end) throw new Error(`waited ${deadline} ms for ${what}`, { cause: last })
    await delay(25)
  }
}
