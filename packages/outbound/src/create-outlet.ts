// One way out to one origin: dialled addresses are checked, redirects refused, answers counted, nothing tried again.
import { Readable } from 'node:stream'
import { limits, type OutboundSettings } from '@gatehouse/contracts'
import { Agent, request } from 'undici'
import { createAddressPolicy, OutboundFailure, type Reach, type Resolve } from './address-policy.ts'
import { createConnect, type Dial, dialDirectly } from './connect.ts'

const boundaries = ['\n\n', '\n\r\n', '\r\r'].map((text) => Buffer.from(text))

/** Offsets behind the first and the last end of an event in these bytes; null when none ends there. */
const eventEnds = (bytes: Buffer): { first: number; last: number } | null => {
  const found = boundaries.flatMap((boundary) => {
    const first = bytes.indexOf(boundary)
    return first < 0 ? [] : [{ first: first + boundary.length, last: bytes.lastIndexOf(boundary) + boundary.length }]
  })
  return found.length === 0 ? null : { first: Math.min(...found.map((end) => end.first)), last: Math.max(...found.map((end) => end.last)) }
}

export async function* limitBody(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) throw new OutboundFailure('too-large')
    yield chunk
  }
}

export async function* limitEvents(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  let before = Buffer.alloc(0)
  for await (const chunk of body) {
    // An end may lie across two chunks: two bytes of the one before are enough to see it.
    const seen = Buffer.concat([before, chunk])
    const ends = eventEnds(seen)
    const grown = size + (ends === null ? chunk.length : ends.first - before.length)
    if (grown > most) throw new OutboundFailure('too-large')
    size = ends === null ? grown : seen.length - ends.last
    before = Buffer.from(seen.subarray(-2))
    yield chunk
  }
}

export interface OutletOptions {
  /** Port and scheme of the policy are those of this url; no other origin is asked. */
  readonly url: URL
  /** `host:port` of the unit's own admin API. */
  readonly ownAddress: string
  readonly settings: OutboundSettings
  /** Default `any`. */
  readonly reach?: Reach
  /** Bytes of the longest answer. */
  readonly most: number
  /** A stream of events may go on for ever, and `most` is that of one event; default false: it is an answer like any other. */
  readonly streams?: boolean
  /** Milliseconds until the answer begins; default that of a call. */
  readonly headersTime?: number
  /** Gives redirects back as they are, for whoever judges them itself; default false: they are failures. */
  readonly showsRedirects?: boolean
  /** Seams for tests. */
  readonly resolve?: Resolve | undefined
  readonly dial?: Dial
}

export type Fetch = (target: string | URL, init?: RequestInit) => Promise<Response>

export interface Outlet {
  /** Bodies are strings or bytes. Rejects with `OutboundFailure` or an error of the system. */
  readonly fetch: Fetch
  close(): Promise<void>
}

const withoutBody = new Set([101, 204, 205, 304])

const headersOf = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) result.append(name, one)
  return result
}

/** By its type alone, whatever stands behind it. */
export const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream'

const toResponse = (
  { statusCode, headers, body }: Awaited<ReturnType<typeof request>>,
  { most, streams = false }: Pick<OutletOptions, 'most' | 'streams'>,
): Response => {
  const init = { status: statusCode, headers: headersOf(headers) }
  if (withoutBody.has(statusCode)) {
    body.resume()
    return new Response(null, init)
  }
  // Whoever reads an answer of another status reads it whole, whatever it says that it is.
  const isStream = streams && statusCode === 200 && isEventStream(init.headers)
  const counted = (isStream ? limitEvents : limitBody)(body, most)
  return new Response(Readable.toWeb(Readable.from(counted, { objectMode: false })) as ReadableStream, init)
}

const bodyOf = (body: RequestInit['body']): string | Uint8Array | null =>
  typeof body === 'string' || body instanceof Uint8Array ? body : null

export const createOutlet = (options: OutletOptions): Outlet => {
  const { url, ownAddress, settings, reach = 'any', resolve } = options
  const policy = createAddressPolicy({ url, ownAddress, reach, ...(resolve && { resolve }) })
  const agent = new Agent({
    connect: createConnect({ settings, policy, reach, dial: options.dial ?? dialDirectly }),
    headersTimeout: options.headersTime ?? limits.callTime,
    bodyTimeout: 0,
  })
  return {
    fetch: async (target, init = {}) => {
      const to = new URL(target)
      if (to.origin !== url.origin) throw new OutboundFailure('redirected')
      const response = await request(to, {
        dispatcher: agent,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: bodyOf(init.body),
        signal: init.signal ?? null,
      })
      // Whoever reads is told; an answer that nobody reads must not end the process when it is given up.
      response.body.on('error', () => undefined)
      if (response.statusCode >= 300 && response.statusCode < 400 && options.showsRedirects !== true) {
        response.body.destroy()
        throw new OutboundFailure('redirected')
      }
      return toResponse(response, options)
    },
    close: () => agent.destroy(),
  }
}
