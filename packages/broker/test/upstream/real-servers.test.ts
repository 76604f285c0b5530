// Tool servers that others wrote, in both eras and over both transports, with effects that can be seen.
import assert from 'node:assert/strict'
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { limits, type ServerName, type SessionID, type ToolResult } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { freePort } from '@gatehouse/testkit/free-port'
import { type Bench, createBench, sessionOne, sessionTwo } from '../fixtures/bench.ts'
import { type Listening, startListening } from '../fixtures/listening.ts'

const packages = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol')
const program = (name: string, ...args: string[]) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [join(packages, name, 'dist/index.js'), ...args],
})
const modern = join(import.meta.dirname, '../fixtures/modern-server.ts')

let bench: Bench
const listening: Listening[] = []
beforeEach(async () => {
  bench = await createBench()
})
afterEach(async () => {
  await bench.stop()
  await Promise.all(listening.splice(0).map((each) => each.close()))
})

const start = async (entry: Record<string, unknown>): Promise<string[]> => {
  bench.gateway.catalog = { it: entry }
  bench.gateway.grants = { [sessionOne]: { it: [] }, [sessionTwo]: { it: [] } }
  await bench.start()
  return (await bench.tools()).map(({ tool }) => tool)
}
const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const protocol = async () => (await bench.broker.controlPlane.probe({ name: 'it' as ServerName }, context)).server.protocol
const textOf = ({ content, isError }: ToolResult): string => {
  assert.equal(isError, false, JSON.stringify(content))
  return String(content[0]?.['text'])
}
const call = (tool: string, args: Record<string, unknown> = {}, session: SessionID = sessionOne) => bench.call(`it__${tool}`, args, session)

const checkEverything = async (): Promise<void> => {
  assert.match(textOf(await call('echo', { message: 'hello' })), /hello/)
  assert.match(textOf(await call('get-sum', { a: 2, b: 40 })), /42/)
  const image = await call('get-tiny-image')
  assert.ok(image.content.some(({ type, mimeType }) => type === 'image' && mimeType === 'image/png'))
  const weather = await call('get-structured-content', { location: 'Chicago' })
  assert.equal(typeof (weather.structuredContent as { temperature: unknown }).temperature, 'number')
  assert.equal((await call('get-sum', { a: 'no number' })).isError, true)
}

test('everything, over stdio: content of each kind, and only the declared environment', async () => {
  const tools = await start({ ...program('server-everything'), env: { MINE: 'yes' } })
  assert.ok(tools.includes('echo') && tools.includes('trigger-long-running-operation'), tools.join())
  await checkEverything()
  const env = JSON.parse(textOf(await call('get-env'))) as Record<string, string>
  assert.deepEqual(Object.keys(env).toSorted(), ['HOME', 'LANG', 'MINE', 'PATH', 'PWD'])
})

const everythingAt = (port: number): Promise<Listening | undefined> =>
  startListening({
    args: [join(packages, 'server-everything/dist/index.js'), 'streamableHttp'],
    env: { PORT: String(port) },
    says: /listening on port/i,
  })

test('everything, over HTTP, also after it was started anew and knows nobody any more', async () => {
  let port = 0
  let server: Listening | undefined
  for (let attempt = 0; server === undefined && attempt < 5; attempt += 1) {
    port = await freePort()
    server = await everythingAt(port)
  }
  assert.ok(server !== undefined, 'no port was free')
  listening.push(server)
  await start({ transport: 'http', url: `http://127.0.0.1:${port}/mcp` })
  await checkEverything()
  assert.equal(await protocol(), '2025-11-25')
  await server.close()
  const again = await waitFor(() => everythingAt(port), { what: 'its port to be free again' })
  listening.push(again)
  assert.match(textOf(await call('echo', { message: 'again' })), /again/)
})

test('filesystem: writes a file that is there, reads it back, and leaves nothing outside its directory', async () => {
  const directory = join(await realpath(bench.directory), 'files')
  await mkdir(directory)
  await start(program('server-filesystem', directory))
  textOf(await call('write_file', { path: join(directory, 'a.txt'), content: 'written by a tool' }))
  assert.equal(await readFile(join(directory, 'a.txt'), 'utf8'), 'written by a tool')
  assert.match(textOf(await call('read_text_file', { path: join(directory, 'a.txt') })), /written by a tool/)
  assert.equal((await call('write_file', { path: join(directory, '../outside'), content: 'x' })).isError, true)
  await assert.rejects(readFile(join(directory, '../outside')), { code: 'ENOENT' })
})

test('memory: what one session stores another finds, and the file holds it', async () => {
  const file = join(bench.directory, 'memory.jsonl')
  await start({ ...program('server-memory'), env: { MEMORY_FILE_PATH: file } })
  textOf(await call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }))
  assert.match(textOf(await call('search_nodes', { query: 'Ada' }, sessionTwo)), /counts/)
  assert.match(await readFile(file, 'utf8'), /Ada/)
})

const think = async (session: SessionID): Promise<number> => {
  const args = { thought: 'so', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 3 }
  return (JSON.parse(textOf(await call('sequentialthinking', args, session))) as { thoughtHistoryLength: number }).thoughtHistoryLength
}

test('sequential-thinking: sessions share the only state of the server', async () => {
  await start(program('server-sequential-thinking'))
  assert.deepEqual([await think(sessionOne), await think(sessionTwo), await think(sessionOne)], [1, 2, 3])
})

test('sequential-thinking, a server for each session: each has its own', async () => {
  await start({ ...program('server-sequential-thinking'), sharing: 'session' })
  assert.deepEqual([await think(sessionOne), await think(sessionTwo), await think(sessionOne)], [1, 1, 2])
  assert.equal((await bench.broker.controlPlane.states({}, context))['it']?.status, 'up')
})

test('the second SDK, over stdio: the stateless revision', async () => {
  assert.deepEqual(await start({ transport: 'stdio', command: process.execPath, args: [modern] }), ['counts', 'shout'])
  assert.equal(textOf(await call('shout', { text: 'hey' })), 'HEY')
  assert.deepEqual((await call('counts')).structuredContent, { n: 1 })
  assert.equal(await protocol(), '2026-07-28')
})

test('the second SDK, over stdio: a server that takes long to start, and knows no older revision', async () => {
  const late = `setTimeout(() => import(${JSON.stringify(modern)}), ${limits.eraProbe + 1_000})`
  await start({ transport: 'stdio', command: process.execPath, args: ['--input-type=module', '--eval', late] })
  assert.equal(await protocol(), '2026-07-28')
  assert.equal(textOf(await call('shout', { text: 'hey' })), 'HEY')
})

test('the second SDK, over HTTP: the stateless revision', async () => {
  const server = await startListening({ args: [modern, '--http'], says: /listens on (\S+)/ })
  assert.ok(server !== undefined)
  listening.push(server)
  await start({ transport: 'http', url: /listens on (\S+)/.exec(server.said)?.[1] })
  assert.equal(textOf(await call('shout', { text: 'hey' })), 'HEY')
  assert.equal(await protocol(), '2026-07-28')
})
