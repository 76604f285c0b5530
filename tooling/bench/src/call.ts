// One tool call three ways in one run: the MCP client directly, an empty HTTP hop on a unix socket, and through `tools.sock`.
import { Agent, createServer, request, type IncomingMessage } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { release, runDirectoryOf, say, startUnit, type Unit } from '@gatehouse/end-to-end'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { cpuOf, cpuPerCall } from './cpu.ts'
import { printTable, timed, type Figures } from './measure.ts'

const warmUp = Number(process.env['BENCH_WARM_UP'] ?? 15_000)
const count = Number(process.env['BENCH_COUNT'] ?? 4_000)
const rounds = 3
const body = JSON.stringify({ name: 'sample__echo', arguments: { text: 'hi' } })

type Act = () => Promise<unknown>

const overSocket = (socketPath: string, path: string): Act => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return () =>
    new Promise((resolve, reject) => {
      const answered = (response: IncomingMessage): void => {
        response.on('data', () => undefined)
        response.on('end', () => (response.statusCode === 200 ? resolve(undefined) : reject(new Error(`status ${response.statusCode}`))))
      }
      request({ socketPath, path, method: 'POST', headers, agent }, answered).on('error', reject).end(body)
    })
}

const emptyHop = async (folder: string): Promise<{ act: Act; close: () => void }> => {
  const path = join(folder, 'hop.sock')
  const server = createServer((incoming, answer) => {
    incoming.on('data', () => undefined)
    incoming.on('end', () => answer.end('{"content":[{"type":"text","text":"hi"}],"isError":false}'))
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { act: overSocket(path, '/call'), close: () => server.close() }
}

const grant = async (unit: Unit): Promise<void> => {
  await say(unit, 'hello')
  const { id } = await unit.client.changes.submit({
    kind: 'mcp_access',
    agentGroupID: 'dev-agent',
    after: { server: 'sample', tools: ['echo'] },
  })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
}

const toolsSocket = async (unit: Unit): Promise<string> => {
  const tools = join(await runDirectoryOf(unit), 'tools')
  const [session] = await readdir(tools)
  if (session === undefined) throw new Error('no session has a tools.sock')
  return join(tools, session, 'tools.sock')
}

const levels = async (ways: readonly (readonly [string, Act])[], callers: number): Promise<Record<string, Figures>> => {
  const best: Record<string, Figures> = {}
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, act] of ways) {
      const figures = await timed(act, count, callers)
      const known = best[name]
      if (known === undefined || figures.p50 < known.p50) best[name] = figures
    }
  }
  return best
}

export const run = async (): Promise<object> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'] })
  const client = new Client({ name: 'bench', version: '0.0.0' })
  const hop = await emptyHop(folder)
  try {
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [join(release, 'mcp-sample.mjs')] }))
    await grant(unit)
    const ways = [
      ['MCP client directly', () => client.callTool({ name: 'echo', arguments: { text: 'hi' } })],
      ['empty hop on a unix socket', hop.act],
      ['through tools.sock', overSocket(await toolsSocket(unit), '/call')],
    ] as const
    process.stdout.write(`warming up with ${warmUp} calls each way …\n`)
    for (const [, act] of ways) await timed(act, warmUp, 4)
    const results: Record<string, object> = {}
    const { processes } = await unit.client.status()
    const pids = Object.fromEntries([
      ['supervisor', unit.pid],
      ...processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])),
    ])
    for (const callers of [1, 16, 64]) {
      const before = await cpuOf(pids)
      const figures = await levels(ways, callers)
      const [direct, empty, ours] = ways.map(([name]) => figures[name]?.p50 ?? Number.NaN)
      const ratio = (ours ?? 0) / ((direct ?? 0) + (empty ?? 0))
      process.stdout.write(`\n${callers} caller${callers === 1 ? '' : 's'}\n`)
      printTable(Object.entries(figures))
      process.stdout.write(`ours ÷ (direct + hop), p50: ${ratio.toFixed(2)}\n`)
      const cpu = cpuPerCall(before, await cpuOf(pids), rounds * count)
      process.stdout.write(
        `CPU a call, µs: ${Object.entries(cpu)
          .map(([name, value]) => `${name} ${value.toFixed(0)}`)
          .join(', ')}\n`,
      )
      results[callers] = { figures, ratio, cpu }
    }
    return results
  } finally {
    await client.close()
    hop.close()
    await unit.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}
