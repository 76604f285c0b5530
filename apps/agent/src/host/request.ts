// HTTP requests to the host over a unix socket, with retries while the host restarts. Each request uses its own connection, because
// a kept one would break unnoticed when the host restarts.
import { setTimeout as sleep } from 'node:timers/promises'
import { problemCode } from './fields.ts'

/** Maximum bytes of a response. */
const maxResponseBytes = 16 * 1024 * 1024

interface Exchange {
  readonly socket: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** Milliseconds until the response must be complete. */
  readonly time: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** Undefined if the body is not JSON. */
  readonly body: unknown
}

/** No response arrived. `sent` is false if the host cannot have received the request. */
export class Unanswered extends Error {
  readonly sent: boolean

  constructor(sent: boolean, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'Unanswered'
    this.sent = sent
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Rejects only with `Unanswered`. */
const exchange = (options: Exchange): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body))
    let sent = false
    const fail = (error: unknown): void => reject(new Unanswered(sent, error))
    // Importing node:http loads all of its exports, which takes longer than the rest of the startup.
    const request = process.getBuiltinModule('node:http').request({
      socketPath: options.socket,
      method: options.method,
      path: options.path,
      agent: false,
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.time)]),
      headers: { host: 'gatehouse', ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }) },
    })
    request.on('socket', (socket) =>
      socket.once('connect', () => {
        sent = true
      }),
    )
    request.on('error', fail)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        if (size > maxResponseBytes) request.destroy(new Error(`the response is larger than ${maxResponseBytes} bytes`))
      })
      response.on('error', fail)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }))
    })
    request.end(body)
  })

/** Milliseconds between two attempts. */
const initialDelay = 50
const maxDelay = 2_000

/** Statuses that are retried: too many requests, upstream failed, unavailable, timed out. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** A freeze has the status of a restart, but lasts until a human lifts it. */
const isTemporary = ({ status, body }: Answer): boolean => temporary.has(status) && problemCode(body) !== 'frozen'

export type RetryWhen = 'always' | 'unsent'

/**
 * Retries with backoff and jitter while the host restarts, without a limit.
 * `always`: for idempotent requests, also retries temporary statuses.
 * `unsent`: for all others, only retries a request that the host cannot have received.
 * Rejects with `Unanswered`, or with the signal's reason once it is aborted.
 */
export const retryUntilAccepted = async (options: Exchange, when: RetryWhen): Promise<Answer> => {
  for (let delay = initialDelay; ; delay = Math.min(delay * 2, maxDelay)) {
    try {
      const answer = await exchange(options)
      if (when === 'unsent' || !isTemporary(answer)) return answer
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof Unanswered) || (when === 'unsent' && error.sent)) throw error
    }
    await sleep(delay / 2 + Math.random() * (delay / 2), undefined, { signal: options.signal })
  }
}
