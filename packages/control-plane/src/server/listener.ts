// Passes requests of node:http to the application and writes the answers. Only origin-form requests with one host pass.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError, toProblem } from '@gatehouse/contracts'
import { getRequestListener } from '@hono/node-server'
import { problemType } from '../problem.ts'
import type { Connections } from './connections.ts'

/** Answers to what never became a request: bytes that are not HTTP, headers that are too long, senders that are too slow. */
const details: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'expected at most 8 KiB of headers, got more',
  ERR_HTTP_REQUEST_TIMEOUT: 'expected the whole request in time, got a part of it',
}

const malformedBody = (detail: string, requestId: string): string =>
  JSON.stringify(toProblem(new ServiceError('malformed', { detail }), requestId))

const answerOf = (status: string, error: ServiceError, more: readonly string[] = []): string => {
  const requestId = randomUUID()
  const body = JSON.stringify(toProblem(error, requestId))
  const head = [
    `HTTP/1.1 ${status}`,
    ...more,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** A browser opens connections ahead: an answer to nothing would be taken for that to the next request. */
const asksNothing = (error: NodeJS.ErrnoException, socket: Duplex): boolean =>
  error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0

/** Answers 400 and closes; only closes where an answer has begun already. */
export const answerParseErrors = (server: Server, connections: Connections): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (
      !socket.writable ||
      error.code === 'ECONNRESET' ||
      asksNothing(error, socket) ||
      connections.answerOn(socket)?.headersSent === true
    ) {
      socket.destroy()
      return
    }
    const detail = details[error.code ?? ''] ?? 'expected HTTP/1.1, got something else'
    socket.end(answerOf('400 Bad Request', new ServiceError('malformed', { detail })), () => socket.destroy())
  })
}

/** Node hands CONNECT to no request listener, and closes the connection without a word where nobody listens for it. */
export const refuseConnect = (server: Server): void => {
  const error = new ServiceError('method-not-allowed', {
    detail: 'CONNECT is not supported: this listener is no proxy',
    hint: 'send requests to the address of the unit without a proxy',
  })
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined)
    socket.end(answerOf('405 Method Not Allowed', error, ['Allow: DELETE, GET, HEAD, POST, PUT']), () => socket.destroy())
  })
}

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
