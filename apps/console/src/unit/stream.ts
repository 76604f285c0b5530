// One stream of journal events for the whole page. It reconnects where it broke off.
import type { ConsoleClient } from '@gatehouse/client'
import type { News } from '@gatehouse/contracts'

export type StreamState = 'connecting' | 'live' | 'broken'

export interface Listener {
  readonly news?: (news: News) => void
  /** What was shown may be old: the stream stands again, or left something out. */
  readonly renewed?: () => void
  readonly state?: (state: StreamState) => void
}

export interface Stream {
  state(): StreamState
  listen(listener: Listener): () => void
  /** After it ended for good, such as with a token that was refused. */
  restart(): void
  stop(): void
}

/** The subscribers and the state of the stream. */
const createSubscribers = () => {
  const listeners = new Set<Listener>()
  let state: StreamState = 'connecting'
  const tell = (act: (listener: Listener) => void): void => {
    for (const listener of Array.from(listeners)) act(listener)
  }
  return {
    listeners,
    state: () => state,
    tell,
    renew: () => tell(({ renewed }) => renewed?.()),
    turn: (next: StreamState): void => {
      if (next === state) return
      state = next
      tell(({ state: told }) => told?.(next))
    },
  }
}

export const createStream = (api: ConsoleClient): Stream => {
  const subscribers = createSubscribers()
  let last: number | undefined
  let running = new AbortController()

  const onOpen = (): void => {
    const again = subscribers.state() === 'broken'
    subscribers.turn('live')
    if (again) subscribers.renew()
  }
  const run = async ({ signal }: AbortController): Promise<void> => {
    const onBreak = (): void => (signal.aborted ? undefined : subscribers.turn('broken'))
    try {
      for await (const event of api.events({ signal, after: last, onOpen, onBreak })) {
        last = event.type === 'gap' ? event.head : event.news.seq
        if (event.type === 'gap') subscribers.renew()
        else subscribers.tell(({ news }) => news?.(event.news))
      }
    } catch {
      onBreak()
    }
  }
  void run(running)

  return {
    state: subscribers.state,
    listen: (listener) => {
      subscribers.listeners.add(listener)
      return () => subscribers.listeners.delete(listener)
    },
    restart: () => {
      running.abort()
      running = new AbortController()
      void run(running)
    },
    stop: () => running.abort(),
  }
}
