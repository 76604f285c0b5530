// Streamable HTTP at `/` and `/mcp` on a loopback address.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSampleServer } from '../server.ts'
import type { Address } from './address.ts'
import { foreignHeader } from './guard.ts'
import { createSessions, type Sessions } from './sessions.ts'

export interface HttpServer {
  readonly port: number
  close(): Promise<void>
}

const paths = new Set(['/', '/mcp'])

const refuse = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }))
}

const handle = async (sessions: Sessions, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const foreign = foreignHeader(request)
  if (foreign !== null) return refuse(response, 403, `The ${foreign} header names another site`)
  if (!paths.has(request.url?.split('?', 1)[0] ?? '')) return refuse(response, 404, 'Expected the path / or /mcp')
  const id = request.headers['mcp-session-id']
  const transport = await sessions.transportFor(typeof id === 'string' ? id : undefined)
  if (transport === null) return refuse(response, 404, 'Session not found')
  await transport.handleRequest(request, response)
  // A first request that did not initialize a session leaves nothing behind.
  if (transport.sessionId === undefined) await transport.close()
}

export const serveHttp = async ({ host, port }: Address): Promise<HttpServer> => {
  const sessions = createSessions(createSampleServer)
  const server = createServer((request, response) => {
    handle(sessions, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'Internal error')
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      await sessions.closeAll()
      server.closeAllConnections()
      await closed
    },
  }
}
