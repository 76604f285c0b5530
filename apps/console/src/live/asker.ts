// When a question is asked again: one at a time, soon after news, sooner after a failure, and not while nobody looks.

export interface AskerOptions {
  readonly ask: (signal: AbortSignal) => Promise<'answered' | 'failed'>
  /** Milliseconds between two questions without news. */
  readonly every: number
}

export interface Asker {
  /** News often come in bunches: one question is enough for one. */
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

export const createAsker = ({ ask, every }: AskerOptions): Asker => {
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
