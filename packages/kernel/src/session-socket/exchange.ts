// One request on a session socket: its time limit, its reply, and the set of running requests.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { codes, type ServiceError } from '@gatehouse/contracts'
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
    await Promise.race([Promise.all(this.#running), pause(stopGrace, undefined, { ref: false })])
  }
}

/** A response: a result, a list, or a problem document. */
export interface Reply {
  readonly status: number
  readonly type: 'application/json' | 'application/problem+json'
  readonly text: string | Buffer
  readonly bytes: number
  readonly headers?: Readonly<Record<string, string>>
}

export const jsonReply = (text: string | Buffer): Reply => ({ status: 200, type: 'application/json', text, bytes: Buffer.byteLength(text) })

export const problemReply = (error: ServiceError, headers: Readonly<Record<string, string>> = {}): Reply => {
  const { status, title } = codes[error.code]
  const { code, detail, hint, errors } = error
  const document = { type: `urn:gatehouse:error:${error.code}`, title, status, detail, code, hint, requestId: randomUUID(), errors }
  const text = JSON.stringify(document)
  return { status, type: 'application/problem+json', text, bytes: Buffer.byteLength(text), headers }
}

/** Writes the reply, unless the caller has disconnected. */
export const send = (response: ServerResponse, { status, type, text, bytes, headers }: Reply): void => {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': type, 'content-length': bytes, ...headers })
  // Text is sent in one write with the headers.
  response.end(text)
}
