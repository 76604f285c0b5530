// One HTTP exchange of either MCP protocol generation with the official SDK. No state is kept between exchanges.
import { createMcpHandler, type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { McpCaller } from './caller.ts'
import { createMcpServer } from './server.ts'

/** A streaming response: the stream of the SDK, and functions to notify about changed tools and to end it. */
export interface OpenStream {
  readonly source: ReadableStream<Uint8Array>
  readonly notify: () => void
  readonly close: () => void
}

export interface Exchanged {
  readonly response: Response
  readonly stream?: OpenStream
}

const isListen = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'

const isEventStream = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/event-stream') === true

const streamOf = (response: Response, { notify, close }: Omit<OpenStream, 'source'>): Exchanged =>
  response.ok && isEventStream(response) && response.body !== null
    ? { response, stream: { source: response.body, notify, close } }
    : { response }

/** Handles a request, or the subscription of 2026-07-28. */
export const exchange = async (caller: McpCaller, request: Request, body: unknown): Promise<Exchanged> => {
  const { log } = caller.unit
  const handler = createMcpHandler(() => createMcpServer(caller), {
    keepAliveMs: 0,
    maxSubscriptions: 1,
    onerror: (error) => log.debug('an exchange of MCP failed', { error }),
  })
  const response = await handler.fetch(request, { parsedBody: body })
  return isListen(body)
    ? streamOf(response, { notify: () => handler.notify.toolsChanged(), close: () => void handler.close() })
    : { response }
}

const tell = ({ server }: McpServer): void => void server.sendToolListChanged().catch(() => undefined)

/** Opens the notification stream of revisions before 2026-07-28. There are no sessions. */
export const openNotifications = async (caller: McpCaller, request: Request): Promise<Exchanged> => {
  const server = createMcpServer(caller)
  const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: 0 })
  await server.connect(transport)
  const response = await transport.handleRequest(request)
  return streamOf(response, { notify: () => tell(server), close: () => void server.close().catch(() => undefined) })
}
