// Places for bodies that are read, so many of one sender at once. Nobody is refused because all are taken: who comes waits, and who
// takes long over the own body while others wait gives up the place.

export interface Place {
  /** Aborts when the place is taken away. */
  readonly signal: AbortSignal
  /** The body is here: from now on the place stays. */
  whole(): void
  giveBack(): void
}

export interface PlacesOptions {
  readonly most: number
  /** Milliseconds that everybody has for a body, however many wait. */
  readonly time: number
}

interface Reader {
  readonly at: number
  readonly gone: AbortController
}

interface Sender {
  taken: number
  /** Oldest first. */
  readonly reading: Set<Reader>
  /** The newest is served first: those that wait for no good keep nobody up. */
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

export const createPlaces = ({ most, time }: PlacesOptions) => {
  const senders = new Map<string, Sender>()

  const watch = (sender: Sender): void => {
    clearTimeout(sender.timer)
    const [oldest] = sender.reading
    if (oldest === undefined || sender.waiting.length === 0) return
    const end = (): void => {
      sender.reading.delete(oldest)
      oldest.gone.abort()
      watch(sender)
    }
    sender.timer = setTimeout(end, oldest.at + time - performance.now()).unref()
  }

  const leave = (key: string, sender: Sender): void => {
    const next = sender.waiting.pop()
    if (next !== undefined) return next()
    sender.taken -= 1
    if (sender.taken === 0) senders.delete(key)
  }

  const open = (key: string, sender: Sender): Place => {
    const reader: Reader = { at: performance.now(), gone: new AbortController() }
    sender.reading.add(reader)
    watch(sender)
    const whole = (): void => {
      if (sender.reading.delete(reader)) watch(sender)
    }
    const giveBack = (): void => {
      whole()
      leave(key, sender)
    }
    return { signal: reader.gone.signal, whole, giveBack }
  }

  const take = async (key: string): Promise<Place> => {
    const sender = senders.get(key) ?? { taken: 0, reading: new Set(), waiting: [], timer: undefined }
    senders.set(key, sender)
    if (sender.taken < most) sender.taken += 1
    else
      await new Promise<void>((resolve) => {
        sender.waiting.push(resolve)
        watch(sender)
      })
    return open(key, sender)
  }
  return { take, size: (): number => senders.size }
}
