// One HTTP exchange with the host over a unix socket. A connection per exchange: a kept one would die unseen with the host's process.

/** Bytes of an answer beyond which the host is not believed. */
const largestAnswer = 16 * 1024 * 1024

export interface Exchange {
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
export const exchange = (options: Exchange): Promise<Answer> =>
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
