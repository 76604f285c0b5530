// A bridge between a client that speaks MCP over stdio and the endpoint of a unit. Messages pass as they are, in either era of the
// protocol; a request that the endpoint does not take is answered with the reason.
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

export interface BridgeOptions {
  readonly url: URL
  readonly token: string
  readonly fetch: typeof globalThis.fetch
  readonly say: (text: string) => void
}

const idOf = (message: JSONRPCMessage): string | number | undefined =>
  'method' in message && 'id' in message && message.id !== undefined ? message.id : undefined

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The revision that the two have agreed on, which each later request names. */
const agreedRevision = (message: JSONRPCMessage): string | undefined => {
  const result: unknown = 'result' in message ? message.result : undefined
  if (typeof result !== 'object' || result === null || !('protocolVersion' in result)) return undefined
  return typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined
}

/** Resolves when the client closes its stream, or a signal ends the program. */
export const runBridge = async ({ url, token, fetch, say }: BridgeOptions): Promise<void> => {
  const client = new StdioServerTransport()
  const unit = new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers: { authorization: `Bearer ${token}` } } })
  const ended = Promise.withResolvers<void>()
  const pass = async (message: JSONRPCMessage): Promise<void> => {
    try {
      await unit.send(message)
    } catch (error) {
      const id = idOf(message)
      if (id === undefined) say(`a message was not taken: ${reasonOf(error)}`)
      else await client.send({ jsonrpc: '2.0', id, error: { code: -32603, message: reasonOf(error) } })
    }
  }
  Object.assign(client, {
    onmessage: (message: JSONRPCMessage) => void pass(message),
    onclose: () => ended.resolve(),
    onerror: (error: Error) => say(`a message of the client cannot be read: ${error.message}`),
  })
  Object.assign(unit, {
    onmessage: (message: JSONRPCMessage) => {
      const revision = agreedRevision(message)
      if (revision !== undefined) unit.setProtocolVersion(revision)
      void client.send(message).catch(() => ended.resolve())
    },
    onerror: (error: Error) => say(reasonOf(error)),
  })
  await unit.start()
  await client.start()
  process.stdin.once('end', () => ended.resolve())
  // Many clients stop the programs that they start by a signal: what was made for the client is undone then, too.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ended.resolve())
  await ended.promise
  await unit.close()
  await client.close()
}
