// Takes what one server writes in short turns, so that its flood keeps nobody else's call waiting.

/** What can be told to wait. */
interface Source {
  pause(): unknown
  resume(): unknown
}

export interface Turns {
  /** At once while the turn lasts; else in a later one, in order. */
  take(line: string): void
  /** Nothing more comes: what waits is taken now. */
  finish(): void
}

/** Milliseconds of one turn of the event loop that one server may take. */
const longest = 0.5

export const inTurns = (source: Source, act: (line: string) => void): Turns => {
  let waiting: string[] = []
  let began: number | undefined

  const isOver = (): boolean => {
    if (began !== undefined) return performance.now() - began > longest
    began = performance.now()
    setImmediate(next)
    return false
  }
  const takeWaiting = (): void => {
    let taken = 0
    for (const line of waiting) {
      if (isOver()) break
      taken += 1
      act(line)
    }
    waiting = waiting.slice(taken)
    if (waiting.length === 0) source.resume()
  }
  const next = (): void => {
    began = undefined
    if (waiting.length > 0) takeWaiting()
  }
  return {
    take: (line) => {
      if (waiting.length === 0 && !isOver()) return act(line)
      if (waiting.length === 0) source.pause()
      waiting.push(line)
    },
    finish: () => {
      const rest = waiting
      waiting = []
      rest.forEach(act)
    },
  }
}
