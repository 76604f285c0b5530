// The sample tool server: MCP over stdio, or over HTTP on loopback with `--http :PORT`.
import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { parseAddress } from './http/address.ts'
import { serveHttp } from './http/serve.ts'
import { createSampleServer } from './server.ts'

const start = async (http: string | undefined): Promise<() => Promise<void>> => {
  if (http === undefined) {
    const server = createSampleServer()
    await server.connect(new StdioServerTransport())
    return () => server.close()
  }
  const address = parseAddress(http)
  const server = await serveHttp(address)
  process.stderr.write(`mcp-sample listens on http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${server.port}\n`)
  return () => server.close()
}

try {
  const { values } = parseArgs({ options: { http: { type: 'string' } } })
  const stop = await start(values.http)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().then(() => process.exit(0)))
} catch (error) {
  process.stderr.write(`mcp-sample: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
}
