// Keeps one answer of the API fresh: asks at once, again when news makes it old, when the stream stands again, and now and then.
import type { News, ServiceError } from '@gatehouse/contracts'
import { toServiceError } from '@gatehouse/contracts'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { wallMs } from '../parts/clock.ts'
import { useUnit } from '../unit/unit.ts'
import { createAsker } from './asker.ts'

export interface Live<T> {
  readonly data: T | undefined
  /** Why the last attempt failed; the last good answer stays meanwhile. */
  readonly problem: ServiceError | undefined
  /** When the last good answer came, in milliseconds since the epoch. */
  readonly at: number | undefined
  readonly refresh: () => void
}

export interface LiveOptions {
  /** Another question begins where one of these is another. */
  readonly of?: readonly unknown[]
  /** News that make the answer old; default: none. */
  readonly wants?: (news: News) => boolean
  /** Milliseconds between two questions without news; default 30 s. */
  readonly every?: number
}

interface Kept<T> {
  readonly data?: T
  readonly problem?: ServiceError
  readonly at?: number
}

export const useLive = <T>(ask: (signal: AbortSignal) => Promise<T>, { of = [], wants, every = 30_000 }: LiveOptions = {}): Live<T> => {
  const { stream } = useUnit()
  const [kept, setKept] = useState<Kept<T>>({})
  const latest = useRef({ ask, wants })
  latest.current = { ask, wants }
  const asker = useRef<{ soon(): void }>(undefined)

  useEffect(() => {
    setKept({})
    const mine = createAsker({
      every,
      ask: async (signal) => {
        try {
          const data = await latest.current.ask(signal)
          if (!signal.aborted) setKept({ data, at: wallMs() })
          return 'answered'
        } catch (error) {
          const problem = toServiceError(error)
          if (!signal.aborted) setKept(({ problem: _old, ...before }) => ({ ...before, problem }))
          return 'failed'
        }
      },
    })
    asker.current = mine
    const leave = stream.listen({ renewed: mine.soon, news: (news) => latest.current.wants?.(news) === true && mine.soon() })
    return () => {
      leave()
      mine.stop()
    }
  }, [stream, every, ...of])

  const refresh = useCallback(() => asker.current?.soon(), [])
  return { data: kept.data, problem: kept.problem, at: kept.at, refresh }
}
