// From a request of node:http to the application and back. Only requests in origin form, for one host, pass.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { problemType } from '../problem.ts'
import { malformedBody } from './raw.ts'

export type Fetch = (request: Request, bindings: object) => Response | Promise<Response>

const refusal = (detail: string): { readonly body: string; readonly headers: Record<string, string> } => {
  const requestId = randomUUID()
  const body = malformedBody(detail, requestId)
  const headers = {
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  return { body, headers }
}

const refuseTarget = (): Response => {
  const { body, headers } = refusal('expected a request target and a Host header that form a URL')
  return new Response(body, { status: 400, headers })
}

const isHost = (name: string, index: number): boolean => index % 2 === 0 && name.toLowerCase() === 'host'

/** The parser also takes 0.9 and 2.0, which nobody speaks in these words. */
const versions: ReadonlySet<string> = new Set(['1.0', '1.1'])

const isWellFormed = ({ url, rawHeaders, httpVersion }: IncomingMessage): boolean =>
  url?.startsWith('/') === true && rawHeaders.filter(isHost).length < 2 && versions.has(httpVersion)

export const createListener = (fetch: Fetch): RequestListener => {
  // A probe may come without Host; the host guard judges everything else by the header itself.
  const answer = getRequestListener(fetch, { hostname: 'localhost', overrideGlobalObjects: false, errorHandler: refuseTarget })
  return (incoming, outgoing) => {
    if (isWellFormed(incoming)) {
      void answer(incoming, outgoing)
      return
    }
    const { body, headers } = refusal('expected HTTP/1.1 with a path as request target and one Host header')
    outgoing.writeHead(400, headers).end(body)
  }
}
