// MCP sessions over HTTP: one server and one transport for each; the one unused for longest gives way to a new one.
import { randomUUID } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const mostSessions = 256

export interface Sessions {
  /** The transport of a session; a new one, without an id yet, for a request that names none; null for an unknown id. */
  transportFor(id: string | undefined): Promise<StreamableHTTPServerTransport | null>
  closeAll(): Promise<void>
}

export const createSessions = (createServer: () => McpServer): Sessions => {
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
