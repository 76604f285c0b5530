// The sample tool server: MCP over stdio, or over HTTP on loopback with `--http :PORT`.
import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { parseAddress, serveHttp } from './http.ts'
import { createSampleServer } from './server.ts'

const usage = `The sample tool server: an MCP server with the tools echo and add. It has no credentials and keeps nothing.

Usage:
  node mcp-sample.mjs                      serve MCP on stdin and stdout
  node mcp-sample.mjs --http HOST:PORT     serve Streamable HTTP at / and /mcp, on a loopback address only

Options:
  --http HOST:PORT   address to listen on; without HOST it is 127.0.0.1, and port 0 takes any free one
  --help             show this text

Example:
  node mcp-sample.mjs --http 127.0.0.1:3001
  svcctl mcp add sample-http --url http://127.0.0.1:3001/mcp
`

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
  const { values } = parseArgs({ options: { http: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help === true) {
    process.stdout.write(usage)
    process.exit(0)
  }
  const stop = await start(values.http)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().then(() => process.exit(0)))
} catch (error) {
  process.stderr.write(`mcp-sample: ${error instanceof Error ? error.message : String(error)}\n  try: node mcp-sample.mjs --help\n`)
  process.exit(2)
}
