// HTTP requests to the host over a unix socket, one connection each, with retries while the host restarts.
// A kept connection would die unseen with the host's process.
import { setTimeout as sleep } from 'node:timers/promises'
import { problemCode } from './fields.ts'

/** Bytes of an answer beyond which the host is not believed. */
const largestAnswer = 16 * 1024 * 1024

interface Exchange {
  readonly socket: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** Milliseconds until the answer must be complete. */
  readonly time: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** Undefined where the body is not JSON. */
  readonly body: unknown
}

/** No answer came. `sent` is false when the host cannot have seen the request. */
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

/** Rejects with `Unanswered` alone. */
const exchange = (options: Exchange): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body))
    let sent = false
    const fail = (error: unknown): void => reject(new Unanswered(sent, error))
    // An import of node:http would load its whole face, which takes longer than all else at the start.
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
        if (size > largestAnswer) request.destroy(new Error(`expected an answer of at most ${largestAnswer} bytes`))
      })
      response.on('error', fail)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }))
    })
    request.end(body)
  })

/** Milliseconds between two attempts. */
const initialDelay = 50
const maxDelay = 2_000

/** Temporary statuses: too many requests, upstream gone, starting or stopping, too late. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** A freeze has the status of a restart, but lasts until a human lifts it. */
const isTemporary = ({ status, body }: Answer): boolean => temporary.has(status) && problemCode(body) !== 'frozen'

export type RetryWhen = 'always' | 'unsent'

/**
 * Waits for a host that restarts, without a limit: a little longer each time, with jitter.
 * `always`: for idempotent requests; a temporary status is retried too.
 * `unsent`: for all others; only a request that the host cannot have seen is retried.
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
