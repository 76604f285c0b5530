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
/** Lines of one turn: what a line sets going comes after it, and is not seen by the clock. */
const most = 16

export const inTurns = (source: Source, act: (line: string) => void): Turns => {
  const waiting: string[] = []
  let began: number | undefined
  let taken = 0

  const isOver = (): boolean => {
    taken += 1
    if (began !== undefined) return taken > most || performance.now() - began > longest
    began = performance.now()
    taken = 1
    setImmediate(next)
    return false
  }
  const takeWaiting = (): void => {
    while (waiting.length > 0 && !isOver()) act(waiting.shift() ?? '')
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
    finish: () => waiting.splice(0).forEach(act),
  }
}
