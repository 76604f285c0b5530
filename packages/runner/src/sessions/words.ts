// How much an agent may still say: so much at once, more with time, and one more for each message that it is given.
import { limits, ServiceError } from '@gatehouse/contracts'

export class Words {
  #left: number = limits.agentWords
  #at = performance.now()

  /** So that an answer never waits, however often it is asked. */
  give(): void {
    this.#left = Math.min(limits.agentWords, this.#left + 1)
  }

  /** Throws `rate-limited` where nothing is left. */
  take(): void {
    const now = performance.now()
    this.#left = Math.min(limits.agentWords, this.#left + ((now - this.#at) / 60_000) * limits.agentWordsPerMinute)
    this.#at = now
    if (this.#left < 1) {
      throw new ServiceError('rate-limited', {
        detail: `expected at most ${limits.agentWords} messages at once and ${limits.agentWordsPerMinute} a minute, got more`,
        hint: 'send it again in a few seconds, and say more in each message',
      })
    }
    this.#left -= 1
  }
}
