// Sends requests to the admin API and parses responses. Every failure becomes a `ServiceError`.
import { ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Explain, toFailure, toNoResponse } from './failure.ts'

/** The part of `RequestInit` that the client uses. */
export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly redirect: 'error'
  readonly signal?: AbortSignal
}

/** The part of `Response` that the client uses. */
export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: ReadableStream<Uint8Array> | null
  readonly text: () => Promise<string>
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** The global `fetch`, or a compatible function. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

export interface ClientOptions {
  /** Base URL of the unit, such as `http://127.0.0.1:8787`. */
  readonly address: string
  readonly token?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Explains failures without a response. Default: a general message. */
  readonly explain?: Explain | undefined
}

export interface CallOptions {
  /** An abort rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until `deadline`. */
  readonly timeout?: number | undefined
  /** Appears in every log line of the request. The unit accepts it if it matches `[A-Za-z0-9-]{8,64}`. */
  readonly requestId?: string | undefined
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the address, with encoded segments. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  /** Raw bytes instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** Additional headers. Undefined ones are not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Statuses of 300 and above that are not failures. */
  readonly accept?: readonly number[]
  readonly timeout?: number
}

export interface Exchange {
  readonly send: <S extends v.GenericSchema>(request: Request, schema: S, options?: CallOptions) => Promise<v.InferOutput<S>>
  readonly sendForText: (request: Request, options?: CallOptions) => Promise<string>
  readonly sendForBytes: (request: Request, options?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>
  /** Streams the response. `timeout` only applies until the response starts. */
  readonly sendForStream: (request: Request, options?: CallOptions) => Promise<Streamed>
}

export interface Streamed {
  readonly headers: FetchResponse['headers']
  readonly body: ReadableStream<Uint8Array>
}

const defaultTimeout = 30_000

export const toUrl = (address: string, { path, query = {} }: Request): string => {
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(entries).toString()
  return `${address.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

const definedHeaders = (headers: Request['headers'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined))

export const toFetchInit = (request: Request, token: string | undefined, { requestId }: CallOptions): FetchInit => ({
  method: request.method,
  headers: {
    ...definedHeaders(request.headers),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
    ...(request.bytes !== undefined && { 'Content-Type': 'application/octet-stream' }),
  },
  ...(request.bytes !== undefined && { body: request.bytes }),
  ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  // A unit never redirects its API. Following a redirect would leak the token.
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

const readText = (response: FetchResponse): Promise<string> => response.text()

/** Rejects with `conflict` if the body ends early, because the response has already started. */
const readBytes = async (response: FetchResponse): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    return new Uint8Array(await response.arrayBuffer())
  } catch (error) {
    throw new ServiceError('conflict', {
      detail: 'the response ended early: the content changed during the transfer, or the connection broke',
      hint: 'try again',
      cause: error,
    })
  }
}

const createStream =
  ({ address, token, explain, fetch = globalThis.fetch }: ClientOptions): Exchange['sendForStream'] =>
  async (request, options = {}) => {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), options.timeout ?? request.timeout ?? defaultTimeout)
    const signal = options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal])
    try {
      const response = await fetch(toUrl(address, request), { ...toFetchInit(request, token, options), signal })
      const { ok, status, headers, body } = response
      if (ok && body !== null) return { headers, body }
      throw toFailure({ status, body: parseJson(await response.text()), retryAfter: headers.get('retry-after') })
    } catch (error) {
      options.signal?.throwIfAborted()
      throw toNoResponse(error, { address, explain, timedOut: deadline.signal.aborted })
    } finally {
      clearTimeout(timer)
    }
  }

export const createExchange = (client: ClientOptions): Exchange => {
  const { address, token, explain, fetch = globalThis.fetch } = client
  const exchange = async <T>(request: Request, options: CallOptions, read: (response: FetchResponse) => Promise<T>): Promise<Answer<T>> => {
    const limit = AbortSignal.timeout(options.timeout ?? request.timeout ?? defaultTimeout)
    const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit])
    try {
      const response = await fetch(toUrl(address, request), { ...toFetchInit(request, token, options), signal })
      const { status } = response
      if (response.ok || request.accept?.includes(status) === true) return { status, content: await read(response) }
      throw toFailure({ status, body: parseJson(await response.text()), retryAfter: response.headers.get('retry-after') })
    } catch (error) {
      options.signal?.throwIfAborted()
      if (limit.aborted) throw toNoResponse(limit.reason, { address, explain, timedOut: true })
      throw toNoResponse(error, { address, explain, timedOut: false })
    }
  }
  return {
    sendForText: async (request, options = {}) => (await exchange(request, options, readText)).content,
    sendForBytes: async (request, options = {}) => (await exchange(request, options, readBytes)).content,
    sendForStream: createStream(client),
    send: async (request, schema, options = {}) => {
      const { status, content: text } = await exchange(request, options, readText)
      const parsed = v.safeParse(schema, text === '' ? undefined : parseJson(text))
      if (parsed.success) return parsed.output
      throw new ServiceError('internal', {
        detail: `the response to ${request.method} ${request.path} does not match its schema (status ${status})`,
        hint: `check that ${address} is a unit of the same version`,
      })
    },
  }
}
