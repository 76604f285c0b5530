// News of the journal for everything on the page, over one stream: taken up again where it broke off.
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

/** Those who listen, and how the stream stands. */
const createHall = () => {
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
  const hall = createHall()
  let last: number | undefined
  let running = new AbortController()

  const onOpen = (): void => {
    const again = hall.state() === 'broken'
    hall.turn('live')
    if (again) hall.renew()
  }
  const run = async ({ signal }: AbortController): Promise<void> => {
    const onBreak = (): void => (signal.aborted ? undefined : hall.turn('broken'))
    try {
      for await (const event of api.events({ signal, after: last, onOpen, onBreak })) {
        last = event.type === 'gap' ? event.head : event.news.seq
        if (event.type === 'gap') hall.renew()
        else hall.tell(({ news }) => news?.(event.news))
      }
    } catch {
      onBreak()
    }
  }
  void run(running)

  return {
    state: hall.state,
    listen: (listener) => {
      hall.listeners.add(listener)
      return () => hall.listeners.delete(listener)
    },
    restart: () => {
      running.abort()
      running = new AbortController()
      void run(running)
    },
    stop: () => running.abort(),
  }
}
