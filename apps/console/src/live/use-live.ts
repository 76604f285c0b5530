// Keeps one answer of the API fresh: asks at once, after related events, after a reconnect, and at intervals.
import { type News, type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { wallMs } from '../clock.ts'
import { useUnit } from '../unit/unit.ts'

interface PollerOptions {
  readonly ask: (signal: AbortSignal) => Promise<'answered' | 'failed'>
  /** Milliseconds between two requests without events. */
  readonly every: number
}

interface Poller {
  /** Events often come in bursts: one request answers all of them. */
  readonly soon: () => void
  readonly stop: () => void
}

const afterNews = 100
const leastGap = 500
const afterFailure = 2_000

const isHidden = (): boolean => document.visibilityState === 'hidden'

/** Runs `act` at the time that was planned last. */
const createPlan = (act: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const clear = (): void => clearTimeout(timer)
  return {
    clear,
    in: (time: number): void => {
      clear()
      timer = setTimeout(act, time)
    },
  }
}

/** Polls one request at a time: soon after events, after 2 s on a failure, and not while the page is hidden. */
const createPoller = ({ ask, every }: PollerOptions): Poller => {
  const life = new AbortController()
  const { signal } = life
  let state: 'waits' | 'asks' = 'waits'
  let again = false
  let last = -leastGap
  const plan = createPlan(() => void once())
  const hurry = (): void => plan.in(Math.max(afterNews, last + leastGap - performance.now()))

  const once = async (): Promise<void> => {
    again = isHidden()
    if (again || signal.aborted) return
    state = 'asks'
    const came = await ask(signal)
    state = 'waits'
    last = performance.now()
    if (signal.aborted) return
    if (again) hurry()
    else plan.in(came === 'failed' ? afterFailure : every)
  }
  const soon = (): void => {
    again = true
    if (state === 'waits') hurry()
  }
  document.addEventListener('visibilitychange', () => (again && !isHidden() ? soon() : undefined), { signal })
  signal.addEventListener('abort', plan.clear)
  void once()
  return { soon, stop: () => life.abort() }
}

export interface Live<T> {
  readonly data: T | undefined
  /** Why the last attempt failed. The last good answer is kept. */
  readonly problem: ServiceError | undefined
  /** When the last good answer came, in milliseconds since the epoch. */
  readonly at: number | undefined
  readonly refresh: () => void
}

export interface LiveOptions {
  /** The answer is dropped and requested again when one of these changes. */
  readonly of?: readonly unknown[]
  /** Events after which the answer is requested again; default: none. */
  readonly wants?: (news: News) => boolean
  /** Milliseconds between two requests without events; default 30 s. */
  readonly every?: number
}

interface Answer<T> {
  readonly data?: T
  readonly problem?: ServiceError
  readonly at?: number
}

export const useLive = <T>(ask: (signal: AbortSignal) => Promise<T>, { of = [], wants, every = 30_000 }: LiveOptions = {}): Live<T> => {
  const { stream } = useUnit()
  const [kept, setKept] = useState<Answer<T>>({})
  const latest = useRef({ ask, wants })
  latest.current = { ask, wants }
  const poller = useRef<{ soon(): void }>(undefined)

  useEffect(() => {
    setKept({})
    const mine = createPoller({
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
    poller.current = mine
    const leave = stream.listen({ renewed: mine.soon, news: (news) => latest.current.wants?.(news) === true && mine.soon() })
    return () => {
      leave()
      mine.stop()
    }
  }, [stream, every, ...of])

  const refresh = useCallback(() => poller.current?.soon(), [])
  return { data: kept.data, problem: kept.problem, at: kept.at, refresh }
}
