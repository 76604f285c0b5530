// Programs of others that stand between an agent and a tool server, each over the same sample server.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { type Ask, overHttp } from './over-http.ts'
import { check, sample, text, type Way } from './way.ts'

const modules = join(import.meta.dirname, '../../node_modules')

interface Started {
  readonly pid: number
  close(): Promise<void>
}

const start = (folder: string, program: string, args: readonly string[]): Started => {
  const child = execa(process.execPath, [join(modules, program), ...args], {
    // What they keep stays in this folder.
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    extendEnv: false,
    stdio: 'ignore',
    reject: false,
    cleanup: true,
  })
  return {
    pid: child.pid ?? 0,
    close: async () => {
      child.kill('SIGTERM')
      await child
    },
  }
}

const answers = (ask: () => Promise<unknown>): Promise<unknown> =>
  waitFor('a peer to answer', 60_000, () =>
    ask().then(
      () => true,
      () => false,
    ),
  )

/** An MCP session over streamable HTTP, spoken by hand, so that the peer is measured and not a client. */
const openSession = async (ask: Ask): Promise<() => Promise<void>> => {
  const accept = { accept: 'application/json, text/event-stream' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '0' } }
  const { headers } = await ask({ body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), headers: accept })
  const session = headers['mcp-session-id']
  const own = {
    ...accept,
    'mcp-protocol-version': '2025-06-18',
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  }
  await ask({ body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers: own })
  let id = 0
  return async () => {
    const call = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'echo', arguments: { text } } }
    check((await ask({ body: JSON.stringify(call), headers: own })).text)
  }
}

export const mcpHub = async (folder: string, url?: string): Promise<Way> => {
  const port = await freePort()
  const config = join(folder, `hub-${port}.json`)
  const server = url === undefined ? { command: process.execPath, args: [sample] } : { url }
  await writeFile(config, JSON.stringify({ mcpServers: { sample: server } }))
  const { pid, close } = start(folder, 'mcp-hub/dist/cli.js', ['--port', String(port), '--config', config])
  const ask = overHttp({ port, path: '/api/servers/tools' })
  const body = JSON.stringify({ server_name: 'sample', tool: 'echo', arguments: { text } })
  const act = async (): Promise<void> => check((await ask({ body })).text)
  await answers(act)
  return { name: 'mcp-hub (REST)', act, pid, close }
}

export const mcpProxy = async (folder: string): Promise<Way> => {
  const port = await freePort()
  const args = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--', process.execPath, sample]
  const { pid, close } = start(folder, 'mcp-proxy/dist/bin/mcp-proxy.mjs', args)
  const ask = overHttp({ port, path: '/mcp' })
  await answers(() => openSession(ask))
  return { name: 'mcp-proxy (HTTP)', act: await openSession(ask), pid, close }
}

export const supergateway = async (folder: string): Promise<Way> => {
  const port = await freePort()
  const args = ['--stdio', `${process.execPath} ${sample}`, '--outputTransport', 'streamableHttp', '--stateful']
  const { pid, close } = start(folder, 'supergateway/dist/index.js', [...args, '--port', String(port), '--logLevel', 'none'])
  const ask = overHttp({ port, path: '/mcp' })
  await answers(() => openSession(ask))
  return { name: 'supergateway (HTTP)', act: await openSession(ask), pid, close }
}
