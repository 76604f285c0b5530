// `fetch` over the model socket, as far as the providers' clients use it. A request that the host may have seen is not sent again.
import { type Readable, Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FetchLimits {
  /** Milliseconds without a byte until the answer counts as broken. */
  readonly idle: number
  /** Milliseconds that a socket which is not there is waited for. */
  readonly absent: number
  /** Milliseconds that a provider which says "later" is waited for. */
  readonly later: number
}

/** More than any answer has. */
const mostBytes = 8 * 1024 * 1024
/** "Not now" of a provider: nothing was done, and nothing is paid. */
const later: ReadonlySet<number> = new Set([429, 503, 529])

/** How often a provider that says "later" is asked again. */
const mostReturns = 3

/** Why there was no answer, in words for a human. */
export class NoAnswer extends Error {
  readonly kind: 'unreachable' | 'silent' | 'endless' | 'not-a-stream'

  constructor(kind: NoAnswer['kind'], message: string) {
    super(message)
    this.name = 'NoAnswer'
    this.kind = kind
  }
}

interface Sent {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal | undefined
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable
}

const counted = (body: Readable): Readable => {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > mostBytes) done(new NoAnswer('endless', 'the answer had no end'))
      else done(null, chunk)
    },
  })
  body.once('error', (error) => counter.destroy(error))
  counter.once('close', () => body.destroy())
  return body.pipe(counter)
}

/** `gone`: the request cannot have been seen. */
class Gone extends Error {}

const once = (socketPath: string, sent: Sent, idle: number): Promise<Received> =>
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
      const silent = new NoAnswer('silent', `the model said nothing for ${Math.round(idle / 1000)} s`)
      body?.destroy(silent)
      request.destroy(silent)
    })
    request.on('error', (error) => reject(connected || signal?.aborted === true ? error : new Gone(error.message, { cause: error })))
    request.once('response', (response) => {
      const found = new Headers()
      for (let at = 0; at < response.rawHeaders.length; at += 2)
        found.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '')
      body = counted(response)
      resolve({ status: response.statusCode ?? 0, headers: found, body })
    })
    request.end(sent.body)
  })

/** Waits for a socket that comes back. */
const reach = async (socketPath: string, sent: Sent, { idle, absent }: FetchLimits): Promise<Received> => {
  const until = performance.now() + absent
  for (let pause = 50; ; pause = Math.min(pause * 2, 2000)) {
    try {
      return await once(socketPath, sent, idle)
    } catch (error) {
      sent.signal?.throwIfAborted()
      if (!(error instanceof Gone)) throw error
      if (performance.now() >= until) throw new NoAnswer('unreachable', 'the way to the model is closed')
    }
    await sleep(pause, undefined, sent.signal === undefined ? {} : { signal: sent.signal })
  }
}

const secondsToWait = (headers: Headers): number | undefined => {
  const told = headers.get('retry-after')
  const seconds = told === null ? Number.NaN : Number(told)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const toHeaders = (init: RequestInit): Record<string, string> => {
  const given = new Headers(init.headers)
  return Object.fromEntries(given.entries())
}

/** A 200 that is no stream of events would look like an answer without a word. */
const checked = ({ status, headers, body }: Received): Response => {
  const type = headers.get('content-type') ?? ''
  if (status === 200 && !/^(text\/event-stream|application\/json)\b/.test(type)) {
    body.destroy()
    throw new NoAnswer('not-a-stream', `expected a stream of events, got ${type || 'something without a type'}`)
  }
  return new Response(body, { status, headers })
}

export const socketFetch =
  (socketPath: string, limits: FetchLimits): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? undefined
    const sent: Sent = {
      url,
      method: init.method ?? 'GET',
      headers: toHeaders(init),
      body: typeof init.body === 'string' ? init.body : '',
      signal,
    }
    const until = performance.now() + limits.later
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      const received = await reach(socketPath, sent, limits)
      const wait = later.has(received.status) ? secondsToWait(received.headers) : undefined
      const pause = Math.max((wait ?? 0) * 1000, 250 * 2 ** tries)
      if (wait === undefined || tries > mostReturns || performance.now() + pause > until) return checked(received)
      received.body.destroy()
      await sleep(pause, undefined, signal === undefined ? {} : { signal })
    }
  }
