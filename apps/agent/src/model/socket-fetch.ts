// A `fetch` over the model socket, for the provider clients. A request that the host may have received is not sent again.
import { type Readable, Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FetchLimits {
  /** Milliseconds without data after which the answer counts as broken. */
  readonly idle: number
  /** Milliseconds to wait for a missing socket. */
  readonly absent: number
  /** Milliseconds to wait for a provider that asks to retry later. */
  readonly later: number
}

/** Maximum bytes of an answer. */
const maxBytes = 8 * 1024 * 1024
/** Statuses with which a provider asks to retry later, without charging for the request. */
const retryStatuses: ReadonlySet<number> = new Set([429, 503, 529])

/** Maximum number of retries for such a status. */
const maxRetries = 3

/** The reason why there was no answer, for people. */
export class NoAnswer extends Error {
  readonly kind: 'unreachable' | 'silent' | 'endless' | 'not-a-stream'

  constructor(kind: NoAnswer['kind'], message: string) {
    super(message)
    this.name = 'NoAnswer'
    this.kind = kind
  }
}

interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal | undefined
}

interface IncomingResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable
}

const limitBytes = (body: Readable): Readable => {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new NoAnswer('endless', 'the answer was too long'))
      else done(null, chunk)
    },
  })
  body.once('error', (error) => counter.destroy(error))
  counter.once('close', () => body.destroy())
  return body.pipe(counter)
}

/** The host cannot have received the request. */
class NotSent extends Error {}

const sendOnce = (socketPath: string, sent: OutgoingRequest, idle: number): Promise<IncomingResponse> =>
  new Promise((resolve, reject) => {
    const { url, method, headers, signal } = sent
    let connected = false
    const request = process.getBuiltinModule('node:http').request({
      socketPath,
      path: url.pathname + url.search,
      method,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(sent.body) },
    })
    request.once('socket', (socket) => socket.once('connect', () => (connected = true)))
    let body: Readable | undefined
    request.setTimeout(idle, () => {
      const silent = new NoAnswer('silent', `the model sent no data for ${Math.round(idle / 1000)} s`)
      body?.destroy(silent)
      request.destroy(silent)
    })
    request.on('error', (error) => reject(connected || signal?.aborted === true ? error : new NotSent(error.message, { cause: error })))
    request.once('response', (response) => {
      const responseHeaders = new Headers()
      for (let at = 0; at < response.rawHeaders.length; at += 2)
        responseHeaders.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '')
      body = limitBytes(response)
      resolve({ status: response.statusCode ?? 0, headers: responseHeaders, body })
    })
    request.end(sent.body)
  })

/** Sends the request, and waits while the socket is missing. */
const sendWhenReachable = async (socketPath: string, sent: OutgoingRequest, { idle, absent }: FetchLimits): Promise<IncomingResponse> => {
  const until = performance.now() + absent
  for (let pause = 50; ; pause = Math.min(pause * 2, 2000)) {
    try {
      return await sendOnce(socketPath, sent, idle)
    } catch (error) {
      sent.signal?.throwIfAborted()
      if (!(error instanceof NotSent)) throw error
      if (performance.now() >= until) throw new NoAnswer('unreachable', 'the model cannot be reached')
    }
    await sleep(pause, undefined, sent.signal === undefined ? {} : { signal: sent.signal })
  }
}

const readRetryAfter = (headers: Headers): number | undefined => {
  const retryAfter = headers.get('retry-after')
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const toHeaders = (init: RequestInit): Record<string, string> => {
  return Object.fromEntries(new Headers(init.headers).entries())
}

/** Refuses a 200 that is not an event stream, which would look like an empty answer. */
const toResponse = ({ status, headers, body }: IncomingResponse): Response => {
  const type = headers.get('content-type') ?? ''
  if (status === 200 && !/^(text\/event-stream|application\/json)\b/.test(type)) {
    body.destroy()
    throw new NoAnswer('not-a-stream', `the answer is not an event stream but ${type || 'has no content type'}`)
  }
  return new Response(body, { status, headers })
}

export const socketFetch =
  (socketPath: string, limits: FetchLimits): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? undefined
    const sent: OutgoingRequest = {
      url,
      method: init.method ?? 'GET',
      headers: toHeaders(init),
      body: typeof init.body === 'string' ? init.body : '',
      signal,
    }
    const until = performance.now() + limits.later
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      const received = await sendWhenReachable(socketPath, sent, limits)
      const wait = retryStatuses.has(received.status) ? readRetryAfter(received.headers) : undefined
      const pause = Math.max((wait ?? 0) * 1000, 250 * 2 ** tries)
      if (wait === undefined || tries > maxRetries || performance.now() + pause > until) return toResponse(received)
      received.body.destroy()
      await sleep(pause, undefined, signal === undefined ? {} : { signal })
    }
  }
