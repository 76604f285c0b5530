// One client outside of a sandbox, with the limits of a session socket. A few requests beyond the limits wait.
import { Abandoned, type Bounds, ConcurrencyLimiter } from '@gatehouse/kernel'
import type { CallSession } from '../calls/session.ts'

/** Queued lists and calls of one client. */
export const maxWaiting = 64

/** A request of a client: when it began, and what ends it early. */
export interface ClientRequest {
  /** Milliseconds of `performance.now()`. */
  readonly started: number
  /** Aborts with `Abandoned`. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
}

export interface ClientPatience {
  /** Milliseconds that one request may take. */
  readonly callTime: number
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

export class Client {
  readonly session: CallSession
  readonly calls: ConcurrencyLimiter
  readonly lists: ConcurrencyLimiter
  readonly #patience: ClientPatience
  readonly #running = new Set<ClientRequest>()

  constructor(session: CallSession, patience: ClientPatience, bounds: { readonly calls: Bounds; readonly lists: Bounds }) {
    this.session = session
    this.#patience = patience
    this.calls = new ConcurrencyLimiter(bounds.calls)
    this.lists = new ConcurrencyLimiter(bounds.lists)
  }

  /** @param left aborts when the caller is gone */
  async run<T>(left: AbortSignal, act: (request: ClientRequest) => Promise<T>): Promise<T> {
    const { callTime, stopping } = this.#patience
    const controller = new AbortController()
    const giveUp = (reason: Abandoned): void => controller.abort(reason)
    const leave = (): void => giveUp(new Abandoned('cancelled'))
    const timer = setTimeout(() => giveUp(new Abandoned('timeout')), callTime)
    const request = { started: performance.now(), signal: controller.signal, giveUp }
    for (const signal of [left, stopping]) {
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    }
    this.#running.add(request)
    try {
      return await act(request)
    } finally {
      clearTimeout(timer)
      for (const signal of [left, stopping]) signal.removeEventListener('abort', leave)
      this.#running.delete(request)
    }
  }

  /** Aborts the requests of a closed session. */
  end(): void {
    for (const { giveUp } of this.#running) giveUp(new Abandoned('cancelled'))
  }
}

/** Runs `act` when the request may start. `left`: the request ended while it waited. `full`: the queue is full. */
export const createSerialQueue = async <T>(
  limiter: ConcurrencyLimiter,
  { signal }: ClientRequest,
  act: (turn: 'entered' | 'left' | 'full') => Promise<T>,
): Promise<T> => {
  const turn = await takeTurn(limiter, signal)
  try {
    return await act(turn)
  } finally {
    if (turn === 'entered') limiter.leave()
  }
}

const takeTurn = async (limiter: ConcurrencyLimiter, signal: AbortSignal): Promise<'entered' | 'left' | 'full'> => {
  if (signal.aborted) return 'left'
  if (limiter.tryEnter()) return 'entered'
  if (limiter.waiting >= maxWaiting) return 'full'
  return new Promise((resolve) => {
    const leave = (): void => {
      stopWaiting()
      resolve('left')
    }
    const stopWaiting = limiter.wait(() => {
      signal.removeEventListener('abort', leave)
      resolve('entered')
    })
    signal.addEventListener('abort', leave, { once: true })
  })
}
