// JSON-RPC requests beside the SDK's client on its connected transport. Results are passed on as the server sent them, so that content
// blocks and tools that the SDK does not know do no harm.
import { limits } from '@gatehouse/contracts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  SdkHttpError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { classify } from './base/classify.ts'
import { AnswerRefused, findRefusal, SuspectedSessionLoss, UpstreamError, UpstreamFailure } from './base/failure.ts'
import type { OverlongLine } from './stdio/lines.ts'

export type Json = Record<string, unknown>

/** What each message of the stateless revision carries; undefined for older ones. */
export const envelope = (protocol: string, client: { name: string; version: string }): Json => ({
  [PROTOCOL_VERSION_META_KEY]: protocol,
  [CLIENT_INFO_META_KEY]: client,
  [CLIENT_CAPABILITIES_META_KEY]: {},
})

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** The SDK counts its own requests from zero. */
const firstId = 1_000_000_000

const findRequestId = (line: OverlongLine): number | undefined => {
  const found = [/"id"\s*:\s*"?(1\d{9})\b/.exec(line.head), /"id"\s*:\s*"?(1\d{9})\b(?!.*"id"\s*:\s*"?1\d{9})/s.exec(line.tail)]
  const text = found.find((match) => match !== null)?.[1]
  return text === undefined ? undefined : Number(text)
}

/** Ids of the SDK are below ours. Some servers give a number back as text. */
const parseOwnId = (id: unknown): number | undefined => {
  const number = typeof id === 'string' && /^1\d{9}$/.test(id) ? Number(id) : id
  return typeof number === 'number' && number >= firstId ? number : undefined
}

const parseError = (error: unknown): UpstreamError => {
  const { code, message } = typeof error === 'object' && error !== null ? (error as { code?: unknown; message?: unknown }) : {}
  return new UpstreamError(typeof code === 'number' ? code : 0, typeof message === 'string' ? message : '')
}

const getHttpStatus = (error: unknown): number | undefined => (error instanceof SdkHttpError ? error.status : undefined)

/** Why a stream of events ended without the answer. */
const watchStreams = (transport: Transport): (() => UpstreamFailure) => {
  const others = transport.onerror
  let refusal: UpstreamFailure | undefined
  Object.assign(transport, {
    onerror: (error: Error) => {
      refusal = findRefusal(error.message)
      // Requests that wait for this stream fail at once; the end of another stream does not affect them.
      queueMicrotask(() => (refusal = undefined))
      others?.(error)
    },
  })
  return () => refusal ?? new UpstreamFailure('unreachable')
}

/** Takes the responses to its own requests out of the transport's messages; the client sees all others. */
export class Requests {
  readonly #transport: Transport
  /** What each message carries in the stateless revision. */
  readonly #meta: Json | undefined
  readonly #waiting = new Map<number, Waiting>()
  readonly #streamFailure: () => UpstreamFailure
  #nextId = firstId

  constructor(transport: Transport, meta: Json | undefined) {
    this.#transport = transport
    this.#meta = meta
    this.#streamFailure = watchStreams(transport)
    const others = transport.onmessage
    Object.assign(transport, {
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        if (!this.#take(message)) others?.(message, extra)
      },
    })
  }

  /** The `result` of the response. Rejects with the signal's reason, `UpstreamError` or `UpstreamFailure`. */
  async send(method: string, params: Json, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    const id = this.#nextId++
    const stream = this.#transport.hasPerRequestStream === true ? new AbortController() : undefined
    const answer = Promise.withResolvers<unknown>()
    const giveUp = (): void => {
      answer.reject(signal.reason)
      this.#cancel(id, stream)
    }
    const options = stream && { requestSignal: stream.signal, onRequestStreamEnd: () => answer.reject(this.#streamFailure()) }
    this.#waiting.set(id, answer)
    signal.addEventListener('abort', giveUp)
    try {
      this.#post({ id, method, params: this.#withMeta(params) }, options).catch(async (error: unknown) =>
        answer.reject(await this.#failure(error)),
      )
      return await answer.promise
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Fails the request whose response was this line, if one can be told. */
  failOverlong(line: OverlongLine): void {
    this.#waiting.get(findRequestId(line) ?? -1)?.reject(new AnswerRefused(line.fault))
  }

  failAll(failure: UpstreamFailure): void {
    for (const each of this.#waiting.values()) each.reject(failure)
  }

  #take(message: JSONRPCMessage): boolean {
    if (!('id' in message) || 'method' in message) return false
    const id = parseOwnId(message.id)
    if (id === undefined) return false
    // A late answer to an aborted request is dropped.
    const found = this.#waiting.get(id)
    if ('result' in message) found?.resolve(message.result)
    else found?.reject(parseError(message.error))
    return true
  }

  #withMeta(params: Json): Json {
    return this.#meta === undefined ? params : { ...params, _meta: this.#meta }
  }

  #post(message: Json, options?: TransportSendOptions): Promise<void> {
    return this.#transport.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage, options)
  }

  #cancel(id: number, stream: AbortController | undefined): void {
    stream?.abort()
    // The stateless revision over HTTP has no other word for it than the end of the stream.
    if (this.#meta !== undefined && stream !== undefined) return
    this.#post({ method: 'notifications/cancelled', params: this.#withMeta({ requestId: id, reason: 'given up' }) }).catch(() => undefined)
  }

  async #failure(error: unknown): Promise<UpstreamFailure> {
    const status = this.#transport.sessionId === undefined ? undefined : getHttpStatus(error)
    if (status === 404) return new UpstreamFailure('session-lost')
    return status === 400 && !(await this.answersPing()) ? new SuspectedSessionLoss() : classify(error)
  }

  /** Many servers answer 400, not 404, to a session that they have forgotten; then they refuse also what is never wrong. */
  async answersPing(): Promise<boolean> {
    const options = { requestSignal: AbortSignal.timeout(limits.connectTime), onRequestStreamEnd: () => undefined }
    try {
      await this.#post({ id: this.#nextId++, method: 'ping' }, options)
      return true
    } catch (error) {
      return getHttpStatus(error) !== 400 && getHttpStatus(error) !== 404
    }
  }
}
