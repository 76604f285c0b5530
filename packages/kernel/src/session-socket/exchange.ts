// One request on a session socket: its time limit, its reply, and the set of running requests.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ServiceError, toProblem } from '@gatehouse/contracts'
import { endsWithin } from '../concurrency.ts'
import { Abandoned } from './body.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Milliseconds of `performance.now()`. */
  readonly started: number
  /** Aborts with `Abandoned` when the caller disconnects, the request times out or the service stops. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
  end(): void
}

export interface Patience {
  /** Milliseconds that one request may take; Infinity for no limit. */
  readonly callTime: number
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

export const openExchange = (request: IncomingMessage, response: ServerResponse, { callTime, stopping }: Patience): Exchange => {
  const controller = new AbortController()
  const giveUp = (reason: Abandoned): void => controller.abort(reason)
  const leave = (): void => giveUp(new Abandoned('cancelled'))
  const timer = callTime === Infinity ? undefined : setTimeout(() => giveUp(new Abandoned('timeout')), callTime)
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

/** Milliseconds that running requests have at a stop, both before and after they are aborted. */
const stopGrace = 300

export class RunningExchanges {
  readonly #running = new Set<Promise<void>>()

  /** The promise must not reject: the work handles its own errors. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Waits briefly, aborts what still runs, and waits again. */
  async end(giveUp: () => void): Promise<void> {
    await this.#settled()
    giveUp()
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await endsWithin(Promise.all(this.#running), stopGrace)
  }
}

/** A response: a result, a list, a problem document, or only a status. */
export interface Reply {
  readonly status: number
  /** Undefined when there is no body. */
  readonly type?: 'application/json' | 'application/problem+json'
  readonly text: string | Buffer
  readonly bytes: number
  readonly headers?: Readonly<Record<string, string>>
}

export const jsonReply = (text: string | Buffer, status = 200): Reply => ({
  status,
  type: 'application/json',
  text,
  bytes: Buffer.byteLength(text),
})

export const emptyReply: Reply = { status: 204, text: '', bytes: 0 }

export interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly requestId?: string
}

/** A problem document (RFC 9457) with a code of the error table, never a stack or a path of the host. */
export const problemReply = (error: ServiceError, { headers = {}, requestId = randomUUID() }: ProblemOptions = {}): Reply => {
  const problem = toProblem(error, requestId)
  const text = JSON.stringify(problem)
  return { status: problem.status, type: 'application/problem+json', text, bytes: Buffer.byteLength(text), headers }
}

/** Writes the reply, unless the caller has disconnected. */
export const send = (response: ServerResponse, { status, type, text, bytes, headers }: Reply): void => {
  if (response.destroyed) return
  response.writeHead(status, { ...(type !== undefined && { 'content-type': type, 'content-length': bytes }), ...headers })
  // Text is sent in one write with the headers.
  response.end(text)
}
