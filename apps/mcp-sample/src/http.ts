// Streamable HTTP at `/` and `/mcp`. Only loopback addresses: the sample has no authentication.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createSampleServer } from './server.ts'

interface Address {
  readonly host: string
  readonly port: number
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** `:PORT` or `HOST:PORT`, IPv6 in brackets. Throws an error that says what was expected and got. */
export const parseAddress = (text: string): Address => {
  const parts = /^(?<host>[^:[\]]*|\[[^\]]*\]):(?<port>\d{1,5})$/.exec(text)?.groups
  const port = Number(parts?.['port'])
  if (parts?.['host'] === undefined || port > 65535) throw new TypeError(`--http: expected :PORT or HOST:PORT, got "${text}"`)
  const host = parts['host'].replace(/^\[|\]$/g, '') || '127.0.0.1'
  if (!isLoopback(host)) throw new TypeError(`--http: expected a loopback host (localhost, 127.0.0.0/8 or [::1]), got "${host}"`)
  return { host, port }
}

const mostSessions = 256

interface Sessions {
  /** The transport of a session; a new one, without an id yet, for a request that names none; null for an unknown id. */
  transportFor(id: string | undefined): Promise<StreamableHTTPServerTransport | null>
  closeAll(): Promise<void>
}

const createSessions = (createServer: () => McpServer): Sessions => {
  const open = new Map<string, StreamableHTTPServerTransport>()

  const keep = (id: string, transport: StreamableHTTPServerTransport): void => {
    open.delete(id)
    open.set(id, transport)
    const [oldest] = open.entries()
    if (open.size <= mostSessions || oldest === undefined) return
    open.delete(oldest[0])
    void oldest[1].close()
  }

  const start = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => keep(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    })
    await createServer().connect(transport)
    return transport
  }

  return {
    transportFor: async (id) => {
      if (id === undefined) return start()
      const transport = open.get(id)
      if (transport === undefined) return null
      keep(id, transport)
      return transport
    },
    closeAll: async () => {
      await Promise.all([...open.values()].map((transport) => transport.close()))
      open.clear()
    },
  }
}

const hostOf = (url: string): string | null => {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

const isLocal = (hostname: string | null): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (hostname !== null && isIPv4(hostname) && hostname.startsWith('127.'))

/** The header that names another site, or null. */
const foreignHeader = ({ headers }: Pick<IncomingMessage, 'headers'>): 'Host' | 'Origin' | null => {
  if (headers.host === undefined || !isLocal(hostOf(`http://${headers.host}`))) return 'Host'
  if (headers.origin !== undefined && !isLocal(hostOf(headers.origin))) return 'Origin'
  return null
}

interface HttpServer {
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
