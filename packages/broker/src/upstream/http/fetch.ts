// The `fetch` that the SDK's transport uses: answers to notifications are discarded, event streams are filtered, JSON is bounded, and
// only the first messages of a batch are read.
import { Readable } from 'node:stream'
import { jsonBounds, limits } from '@gatehouse/contracts'
import { JsonScanner, parseJson, parseScannedJson } from '@gatehouse/kernel'
import { type Fetch, isEventStream } from '@gatehouse/outbound'
import { AnswerRefused, readMessages } from '../base/failure.ts'
import { filterNoise } from './filter-noise.ts'

/** Only this prefix of a longer message is examined, because a call may be large. */
const headLength = 4 * 1024

/** No text within JSON can hold these quotes as they are. Our messages name their method before its arguments. */
const isAsking = (body: string): boolean => {
  if (body.length > headLength) return body.slice(0, headLength).includes('"method":')
  const message = parseJson(body, jsonBounds.upstreamMessage)
  return typeof message === 'object' && message !== null && 'id' in message && 'method' in message
}

/** Whether the answer is read, as events or completely. */
const isRead = ({ method, body }: RequestInit): boolean =>
  method === undefined || method === 'GET' || (method === 'POST' && typeof body === 'string' && isAsking(body))

/** Announcements come whenever the server likes. */
const isListening = ({ body }: RequestInit): boolean => typeof body === 'string' && body.includes('"method":"subscriptions/listen"')

/** Bytes to read of an unneeded answer; a longer one is aborted. */
const maxDiscarded = 64 * 1024

/** To its end, if that comes soon: then the connection can be used again. Some servers keep it open for ever. */
const discardBody = async (body: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), limits.upstreamStopTime)
  let size = 0
  try {
    for (let part = await reader.read(); !part.done && size <= maxDiscarded; part = await reader.read()) size += part.value.length
    await reader.cancel()
  } finally {
    clearTimeout(timer)
  }
}

/** Sets the plain media type: with an unusual one the SDK would read an endless stream completely. */
const withFilteredEvents = (response: Response, isAsked: boolean): Response => {
  if (response.body === null) return response
  const events = Readable.from(filterNoise(response.body, { isAsked }), { objectMode: false })
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/event-stream')
  return new Response(Readable.toWeb(events) as ReadableStream, { status: response.status, headers })
}

/** Scanned as they come. Rejects with `AnswerRefused`; the rest is not read then. */
const readScanned = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const scanner = new JsonScanner(jsonBounds.upstreamMessage)
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) {
    const fault = scanner.push(chunk)
    if (fault !== undefined) throw new AnswerRefused(fault)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The SDK parses what it reads, also of an error. */
const withBoundedJson = (response: Response): Response => {
  const read = (): Promise<string> => readScanned(response.body)
  const json = async (): Promise<unknown> => {
    const value = parseScannedJson(await read(), jsonBounds.upstreamMessage)
    return Array.isArray(value) ? readMessages(value) : value
  }
  return Object.assign(response, { json, text: read })
}

export const createMcpFetch =
  (fetch: Fetch): Fetch =>
  async (target, init = {}) => {
    const response = await fetch(target, init)
    if (isRead(init)) {
      const isPost = init.method === 'POST'
      const areEvents = response.ok && (!isPost || isEventStream(response.headers))
      return areEvents ? withFilteredEvents(response, isPost && !isListening(init)) : withBoundedJson(response)
    }
    if (response.body !== null) void discardBody(response.body).catch(() => undefined)
    return new Response(null, { status: response.status, headers: response.headers })
  }
