// The only way out to remote servers: dialled addresses are checked, redirects refused, answers counted, no proxy, no retry.
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { limits } from '@gatehouse/contracts'
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent, request } from 'undici'
import { UpstreamFailure } from '../failure.ts'
import { createAddressPolicy } from './address-policy.ts'
import { limitBody, limitEvents } from './body-limit.ts'

export interface Outlet {
  readonly fetch: FetchLike
  close(): Promise<void>
}

const withoutBody = new Set([101, 204, 205, 304])

const headersOf = (headers: Readonly<Record<string, string | string[] | undefined>>): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) result.append(name, one)
  return result
}

const toResponse = ({ statusCode, headers, body }: Awaited<ReturnType<typeof request>>): Response => {
  const isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream')
  const init = { status: statusCode, headers: headersOf(headers) }
  if (withoutBody.has(statusCode)) {
    body.resume()
    return new Response(null, init)
  }
  return new Response(
    Readable.toWeb(Readable.from((isStream ? limitEvents : limitBody)(body), { objectMode: false })) as ReadableStream,
    init,
  )
}

/** One outlet serves one url: port and scheme of its policy are those of that url. */
export const createOutlet = (url: URL, ownAddress: string): Outlet => {
  const policy = createAddressPolicy({ url, ownAddress })
  const agent = new Agent({
    allowH2: false,
    connect: { timeout: limits.connectTime, lookup: policy.lookup },
    headersTimeout: limits.callTime,
    bodyTimeout: 0,
  })
  return {
    fetch: async (target, init = {}) => {
      const to = new URL(target)
      if (to.origin !== url.origin) throw new UpstreamFailure('redirected')
      const literal = to.hostname.replace(/^\[|\]$/g, '')
      if (isIP(literal) !== 0) policy.check(literal)
      const response = await request(to, {
        dispatcher: agent,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
      })
      if (response.statusCode >= 300 && response.statusCode < 400) {
        response.body.destroy()
        throw new UpstreamFailure('redirected')
      }
      return toResponse(response)
    },
    close: () => agent.destroy(),
  }
}
