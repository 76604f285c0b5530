// One request on a session's socket: who waits for its answer, and until when.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Abandoned } from './abandoned.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Milliseconds of `performance.now()`. */
  readonly started: number
  /** Aborts with `Abandoned` when the caller leaves, the time is over or the service stops. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
  end(): void
}

export interface Patience {
  /** Milliseconds that one request may take. */
  readonly callTime: number
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

export const openExchange = (request: IncomingMessage, response: ServerResponse, { callTime, stopping }: Patience): Exchange => {
  const controller = new AbortController()
  const giveUp = (reason: Abandoned): void => controller.abort(reason)
  const leave = (): void => giveUp(new Abandoned('cancelled'))
  const timer = setTimeout(() => giveUp(new Abandoned('timeout')), callTime)
  response.once('close', leave)
  stopping.addEventListener('abort', leave)
  if (stopping.aborted) leave()
  return {
    request,
    response,
    started: performance.now(),
    signal: controller.signal,
    giveUp,
    end: () => {
      clearTimeout(timer)
      response.off('close', leave)
      stopping.removeEventListener('abort', leave)
    },
  }
}
