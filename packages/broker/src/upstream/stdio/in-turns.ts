// Takes what one server writes in short turns, so that its flood keeps nobody else's call waiting; what nobody asked for, slowly.

/** What can be told to wait. */
interface Source {
  pause(): unknown
  resume(): unknown
}

export interface Turns<T> {
  /** A request went out: what may be its answer is taken without rest. */
  ask(): void
  /** A piece of so many bytes was cut into what was taken: others have a turn after a large one. */
  read(bytes: number): void
  /** At once while the turn lasts; else in a later one, in order. */
  take(item: T): void
  /** What comes now is of no use: nothing is an answer until the next request. */
  forfeit(): void
  /** Nothing more comes: what waits is taken now. */
  finish(): void
}

/** Milliseconds of one turn of the event loop that one server may take; and where it was not asked. */
const longest = { asked: 0.5, unasked: 0.1 } as const
/** Items of one turn: what an item sets going comes after it, and is not seen by the clock. */
const most = 16
/** Milliseconds between two turns of a server that was not asked. */
const rest = 2
/** Items, and large pieces, that one request may bring. */
const perRequest = 64
const mostAsked = 1_024 * perRequest
/** Bytes of a piece that is large: others have a turn before the next. */
const large = 32 * 1_024

export const inTurns = <T>(source: Source, act: (item: T) => void): Turns<T> => {
  const waiting: T[] = []
  let asked = 0
  let began: number | undefined
  let taken = 0
  let isHeld = false

  const hold = (): void => {
    if (!isHeld) source.pause()
    isHeld = true
  }
  const letGo = (): void => {
    if (isHeld) source.resume()
    isHeld = false
  }
  const begin = (): void => {
    began = performance.now()
    taken = 0
    if (asked > 0) setImmediate(next)
    else setTimeout(next, rest)
  }
  const isOver = (): boolean => {
    if (began === undefined) begin()
    taken += 1
    return taken > most || (taken > 1 && performance.now() - (began ?? 0) > longest[asked > 0 ? 'asked' : 'unasked'])
  }
  const spend = (): void => {
    asked = Math.max(0, asked - 1)
  }
  const next = (): void => {
    began = undefined
    while (waiting.length > 0 && !isOver()) {
      spend()
      const item = waiting.shift()
      if (item !== undefined) act(item)
    }
    if (waiting.length === 0) letGo()
  }
  return {
    ask: () => {
      asked = Math.min(mostAsked, asked + perRequest)
    },
    read: (bytes) => {
      if (bytes < large) return
      spend()
      if (began === undefined) begin()
      hold()
    },
    take: (item) => {
      if (waiting.length === 0 && !isOver()) {
        spend()
        return act(item)
      }
      hold()
      waiting.push(item)
    },
    forfeit: () => {
      asked = 0
    },
    finish: () => waiting.splice(0).forEach(act),
  }
}
