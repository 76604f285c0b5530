// Passes requests of node:http to the application and writes the responses. Only accepts origin-form requests with one host.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError, toProblem } from '@gatehouse/contracts'
import { getRequestListener } from '@hono/node-server'
import { problemType } from '../problem.ts'
import type { Connections } from './connections.ts'

/** Details for input that is not a valid request: bytes that are not HTTP, headers that are too long, clients that are too slow. */
const details: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers are larger than 8 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive completely in time',
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

/** Browsers open connections in advance. They would take a response on such a connection for the response to their next request. */
const asksNothing = (error: NodeJS.ErrnoException, socket: Duplex): boolean =>
  error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0

/** Responds with 400 and closes the connection. Only closes it if a response has already started. */
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
    const detail = details[error.code ?? ''] ?? 'the request is not HTTP/1.1'
    socket.end(answerOf('400 Bad Request', new ServiceError('malformed', { detail })), () => socket.destroy())
  })
}

/** Node does not pass CONNECT to the request listener. Without a listener of its own it closes the connection silently. */
export const refuseConnect = (server: Server): void => {
  const error = new ServiceError('method-not-allowed', {
    detail: 'CONNECT is not supported: this listener is not a proxy',
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
  const { body, headers } = refusal('the request target and the Host header do not form a URL')
  return new Response(body, { status: 400, headers })
}

const isHost = (name: string, index: number): boolean => index % 2 === 0 && name.toLowerCase() === 'host'

/** The parser also accepts 0.9 and 2.0, which are not valid here. */
const versions: ReadonlySet<string> = new Set(['1.0', '1.1'])

const isWellFormed = ({ url, rawHeaders, httpVersion }: IncomingMessage): boolean =>
  url?.startsWith('/') === true && rawHeaders.filter(isHost).length < 2 && versions.has(httpVersion)

export const createListener = (fetch: Fetch): RequestListener => {
  // Probes can omit Host. The host guard checks the header of all other requests.
  const answer = getRequestListener(fetch, { hostname: 'localhost', overrideGlobalObjects: false, errorHandler: refuseTarget })
  return (incoming, outgoing) => {
    if (isWellFormed(incoming)) {
      void answer(incoming, outgoing)
      return
    }
    const { body, headers } = refusal('the request must be HTTP/1.1 with a path as request target and one Host header')
    outgoing.writeHead(400, headers).end(body)
  }
}
