// One exchange with the admin API: sent, timed, parsed; every failure becomes a `ServiceError`.
import { ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Explain, toFailure, toUnreached } from './failure.ts'

/** What is sent, in the shape that `fetch` takes. */
export interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly redirect: 'error'
  readonly signal?: AbortSignal
}

/** What is used of a `Response`. */
export interface Answered {
  readonly ok: boolean
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: ReadableStream<Uint8Array> | null
  readonly text: () => Promise<string>
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** The global `fetch`, or another function of its shape. */
export type Fetch = (url: string, init: Sent) => Promise<Answered>

export interface ClientOptions {
  /** Base URL of the unit, such as `http://127.0.0.1:8787`. */
  readonly address: string
  readonly token?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Default: that there was no answer, and no more. */
  readonly explain?: Explain | undefined
}

export interface CallOptions {
  /** An abort by the caller rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until `deadline`. */
  readonly timeout?: number | undefined
  /** Accepted by the unit if it matches `[A-Za-z0-9-]{8,64}`; it stands in every log line of the request. */
  readonly requestId?: string | undefined
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the address, with encoded segments. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  /** In place of `body`, as they are. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** Beyond those of every request; one that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Statuses that are answers and not problems, besides those below 300. */
  readonly accept?: readonly number[]
  readonly timeout?: number
}

export interface Exchange {
  readonly send: <S extends v.GenericSchema>(request: Request, schema: S, options?: CallOptions) => Promise<v.InferOutput<S>>
  readonly sendForText: (request: Request, options?: CallOptions) => Promise<string>
  readonly sendForBytes: (request: Request, options?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>
  /** The answer as it comes; `timeout` is for its beginning alone. */
  readonly sendForStream: (request: Request, options?: CallOptions) => Promise<Streamed>
}

export interface Streamed {
  readonly headers: Answered['headers']
  readonly body: ReadableStream<Uint8Array>
}

const defaultTimeout = 30_000

export const urlOf = (address: string, { path, query = {} }: Request): string => {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `${address.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

const givenOf = (headers: Request['headers'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined))

export const initOf = (request: Request, token: string | undefined, { requestId }: CallOptions): Sent => ({
  method: request.method,
  headers: {
    ...givenOf(request.headers),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
    ...(request.bytes !== undefined && { 'Content-Type': 'application/octet-stream' }),
  },
  ...(request.bytes !== undefined && { body: request.bytes }),
  ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  // A unit never redirects its API: whoever does would be handed the request.
  redirect: 'error',
})

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Answer<T> {
  readonly status: number
  readonly content: T
}

const textOf = (response: Answered): Promise<string> => response.text()

/** What breaks off has begun: it is the whole that is missing. */
const bytesOf = async (response: Answered): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    return new Uint8Array(await response.arrayBuffer())
  } catch (error) {
    throw new ServiceError('conflict', {
      detail: 'expected the whole of the answer, it ended early: what it is about was changed meanwhile, or the connection broke',
      hint: 'try again',
      cause: error,
    })
  }
}

const createStream =
  ({ address, token, explain, fetch = globalThis.fetch }: ClientOptions): Exchange['sendForStream'] =>
  async (request, options = {}) => {
    const begun = new AbortController()
    const late = setTimeout(() => begun.abort(), options.timeout ?? request.timeout ?? defaultTimeout)
    const signal = options.signal === undefined ? begun.signal : AbortSignal.any([options.signal, begun.signal])
    try {
      const response = await fetch(urlOf(address, request), { ...initOf(request, token, options), signal })
      const { ok, status, headers, body } = response
      if (ok && body !== null) return { headers, body }
      throw toFailure({ status, body: parseJson(await response.text()), retryAfter: headers.get('retry-after') })
    } catch (error) {
      options.signal?.throwIfAborted()
      throw toUnreached(error, { address, explain, late: begun.signal.aborted })
    } finally {
      clearTimeout(late)
    }
  }

export const createExchange = (client: ClientOptions): Exchange => {
  const { address, token, explain, fetch = globalThis.fetch } = client
  const exchange = async <T>(request: Request, options: CallOptions, take: (response: Answered) => Promise<T>): Promise<Answer<T>> => {
    const limit = AbortSignal.timeout(options.timeout ?? request.timeout ?? defaultTimeout)
    const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit])
    try {
      const response = await fetch(urlOf(address, request), { ...initOf(request, token, options), signal })
      const { status } = response
      if (response.ok || request.accept?.includes(status) === true) return { status, content: await take(response) }
      throw toFailure({ status, body: parseJson(await response.text()), retryAfter: response.headers.get('retry-after') })
    } catch (error) {
      options.signal?.throwIfAborted()
      if (limit.aborted) throw toUnreached(limit.reason, { address, explain, late: true })
      throw toUnreached(error, { address, explain, late: false })
    }
  }
  return {
    sendForText: async (request, options = {}) => (await exchange(request, options, textOf)).content,
    sendForBytes: async (request, options = {}) => (await exchange(request, options, bytesOf)).content,
    sendForStream: createStream(client),
    send: async (request, schema, options = {}) => {
      const { status, content: text } = await exchange(request, options, textOf)
      const parsed = v.safeParse(schema, text === '' ? undefined : parseJson(text))
      if (parsed.success) return parsed.output
      throw new ServiceError('internal', {
        detail: `expected an answer to ${request.method} ${request.path} that fits its schema, got another one with status ${status}`,
        hint: `check that ${address} is a unit of the same version`,
      })
    },
  }
}
