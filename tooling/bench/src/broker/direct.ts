// The baseline: the MCP client itself, and an HTTP hop that does nothing.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { overHttp } from './over-http.ts'
import { check, sample, text, type Way } from './way.ts'

export const directClient = async (url?: string): Promise<Way> => {
  const client = new Client({ name: 'bench', version: '0.0.0' })
  const transport =
    url === undefined
      ? new StdioClientTransport({ command: process.execPath, args: [sample] })
      : new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  return {
    name: 'MCP client directly',
    act: async () => check(JSON.stringify(await client.callTool({ name: 'echo', arguments: { text } }))),
    close: () => client.close(),
  }
}

export const emptyHop = async (folder: string): Promise<Way> => {
  const socketPath = join(folder, 'hop.sock')
  const server = createServer((incoming, answer) => {
    incoming.on('data', () => undefined)
    incoming.on('end', () => answer.end('{"content":[{"type":"text","text":"hi"}],"isError":false}'))
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  const ask = overHttp({ socketPath, path: '/call' })
  return {
    name: 'empty hop on a unix socket',
    act: async () => check((await ask({ body: '{"name":"sample__echo","arguments":{"text":"hi"}}' })).text),
    close: async () => void server.close(),
  }
}
