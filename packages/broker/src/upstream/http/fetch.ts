// What the SDK's transport asks by: what a server adds to the receipt of a notification is not waited for, events come calmly.
import { Readable } from 'node:stream'
import { limits } from '@gatehouse/contracts'
import type { Fetch } from '@gatehouse/outbound'
import { calm } from './calm.ts'

/** A longer message is a call. */
const longestNotification = 4 * 1024

const isNotification = ({ method, body }: RequestInit): boolean => {
  if (method !== 'POST' || typeof body !== 'string' || body.length > longestNotification) return false
  const message: unknown = JSON.parse(body)
  return typeof message === 'object' && message !== null && !('id' in message)
}

/** Announcements come whenever the server likes. */
const isListening = ({ body }: RequestInit): boolean => typeof body === 'string' && body.includes('"method":"subscriptions/listen"')

const isStream = ({ headers }: Response): boolean => /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** To its end, if that comes soon: then the connection can be used again. Some servers keep it open for ever. */
const drop = async (body: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), limits.upstreamStopTime)
  try {
    while (!(await reader.read()).done);
  } finally {
    clearTimeout(timer)
  }
}

const calmed = (response: Response, isAsked: boolean): Response => {
  if (response.body === null || !response.ok || !isStream(response)) return response
  const events = Readable.from(calm(response.body, { isAsked }), { objectMode: false })
  return new Response(Readable.toWeb(events) as ReadableStream, response)
}

export const createMcpFetch =
  (fetch: Fetch): Fetch =>
  async (target, init = {}) => {
    const response = await fetch(target, init)
    if (!isNotification(init)) return calmed(response, init.method === 'POST' && !isListening(init))
    if (response.body !== null) void drop(response.body).catch(() => undefined)
    return new Response(null, { status: response.status, headers: response.headers })
  }
