// Waits for a host that restarts: for ever, a little longer each time, with jitter.
import { setTimeout as sleep } from 'node:timers/promises'
import { problemCode } from './fields.ts'
import { type Answer, type Exchange, Unanswered, exchange } from './request.ts'

const first = 50
const most = 2_000

/** Statuses that mean "not now": too many, upstream gone, starting or stopping, too late. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** A freeze has the status of a restart, but lasts until a human lifts it. */
const isPassing = ({ status, body }: Answer): boolean => passing.has(status) && problemCode(body) !== 'frozen'

export type When = 'always' | 'unsent'

/**
 * `always`: for what may be said twice; a passing status is tried again too.
 * `unsent`: for what must not: only a request that the host cannot have seen is tried again.
 * Rejects with `Unanswered`, or with the signal's reason once it is aborted.
 */
export const persist = async (options: Exchange, when: When): Promise<Answer> => {
  for (let limit = first; ; limit = Math.min(limit * 2, most)) {
    try {
      const answer = await exchange(options)
      if (when === 'unsent' || !isPassing(answer)) return answer
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof Unanswered) || (when === 'unsent' && error.sent)) throw error
    }
    await sleep(limit / 2 + Math.random() * (limit / 2), undefined, { signal: options.signal })
  }
}
