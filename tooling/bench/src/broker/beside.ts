// What one slow call costs the others, and what a long list of tools costs.
import { join } from 'node:path'
import { printTable, timed, type Figures } from '../measure.ts'
import { overHttp } from './over-http.ts'
import { askInTurn, type BenchUnit, grant } from './unit.ts'

const program = join(import.meta.dirname, 'many-tools.ts')

const addServers = async ({ unit }: BenchUnit, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    await unit.client.servers.put(name, { transport: 'stdio', command: process.execPath, args: [program] })
    await grant(unit, name)
  }
}

/** Calls of 16 callers to one server while one of its calls waits, beside the same without it. */
const measureSlow = async ({ sockets }: BenchUnit, count: number): Promise<Record<string, Figures>> => {
  const [first = '', ...others] = sockets
  const fast = askInTurn(others, '/call')
  const act = () => fast({ body: JSON.stringify({ name: 'many0__tool_1', arguments: {} }) })
  await timed(act, count, 16)
  const alone = await timed(act, count, 16)
  const slow = overHttp({ socketPath: first, path: '/call' })({ body: JSON.stringify({ name: 'many0__wait', arguments: { ms: 30_000 } }) })
  const beside = await timed(act, count, 16)
  void slow.catch(() => undefined)
  return { 'calls without a slow one': alone, 'calls beside a slow one': beside }
}

export const measureBeside = async (unit: BenchUnit, count: number): Promise<object> => {
  const names = Array.from({ length: 10 }, (_, at) => `many${at}`)
  await addServers(unit, names)
  const list = askInTurn(unit.sockets, '/tools')
  const { text } = await list({ method: 'GET' })
  const listed = text.split('"inputSchema"').length - 1
  await timed(() => list({ method: 'GET' }), 100, 1)
  const figures = { [`GET /tools, 10 servers, ${listed} tools`]: await timed(() => list({ method: 'GET' }), 300, 1) }
  const slow = await measureSlow(unit, count)
  printTable([...Object.entries(figures), ...Object.entries(slow)])
  const [alone, beside] = Object.values(slow)
  process.stdout.write(`a slow call adds ${((beside?.p99 ?? 0) - (alone?.p99 ?? 0)).toFixed(2)} ms to the p99 of the others (target 5)\n`)
  return { ...figures, ...slow, bytes: text.length }
}
