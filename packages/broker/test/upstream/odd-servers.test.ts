// Tool servers that do what the protocol allows, or what others get away with: each is listed and called like any other.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import type { ToolResult } from '@gatehouse/contracts'
import { type Bench, createBench, local, sessionOne } from '../fixtures/bench.ts'

const fixtures = join(import.meta.dirname, '../fixtures/odd')

const onStreams = [
  'byte-order-mark',
  'ends-lines-as-windows',
  'blank-lines',
  'lists-of-messages',
  'white-space-around',
  'ids-as-text',
  'last-line-without-its-end',
  'asks-back-first',
  'answers-byte-by-byte',
  'answers-before-it-is-asked',
  'greets-on-its-output',
  'refuses-without-an-id',
]
const overHttp = [
  'byte-order-mark',
  'type-in-capitals',
  'id-as-text',
  'list-of-messages',
  'events-of-every-form',
  'events-by-carriage-returns',
  'events-in-capitals',
  'byte-by-byte',
  'chunks-with-a-trailer',
  'old-http-without-a-length',
  'old-http-with-events',
  'hints-first',
  'answers-on-the-other-stream',
  'has-no-stream',
  'fails-at-the-stream',
  'stream-of-no-events',
  'stream-that-ends',
  'receipt-204',
  'receipt-200',
  'receipt-with-JSON',
  'receipt-with-an-open-stream',
  'receipt-with-an-open-body',
  'session-of-odd-characters',
  'session-of-great-length',
  'session-that-rotates',
  'answers-when-asked-again',
]
const nameOf = (way: string, oddity: string): string => `${way}-${oddity.toLowerCase()}`.slice(0, 32).replace(/-$/, '')
const all = [
  ...onStreams.map((oddity) => ({ way: 's', oddity, name: nameOf('s', oddity) })),
  ...overHttp.map((oddity) => ({ way: 'h', oddity, name: nameOf('h', oddity) })),
]

suite('odd tool servers', { timeout: 200_000 }, () => {
  let bench: Bench
  let program: ChildProcess
  let url: string
  const seen = new Map<string, ToolResult>()

  before(async () => {
    bench = await createBench()
    program = spawn(process.execPath, [join(fixtures, 'http.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [port] = (await once(createInterface({ input: program.stdout ?? process.stdin }), 'line')) as [string]
    url = `http://127.0.0.1:${port}`
    const entries = all.map(({ way, oddity, name }) => [
      name,
      way === 's' ? { ...local(), args: [join(fixtures, 'stdio.ts'), oddity] } : { transport: 'http', url: `${url}/${oddity}` },
    ])
    bench.gateway.catalog = Object.fromEntries(entries)
    bench.gateway.grants = { [sessionOne]: Object.fromEntries(all.map(({ name }) => [name, []])) }
    await bench.start({ isRated: false })
    const left = [...all]
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) seen.set(next.name, await bench.call(`${next.name}__go`))
    }
    await Promise.all([work(), work(), work(), work(), work(), work()])
  })
  after(async () => {
    program.stdin?.end()
    await bench.stop()
  })

  for (const { way, oddity, name } of all)
    test(`calls a server ${way === 's' ? 'on its streams' : 'over HTTP'}: ${oddity}`, () =>
      assert.deepEqual(seen.get(name), { content: [{ type: 'text', text: 'fine' }], isError: false }))
})
