// What an operator learns of a server, and of why there is nothing to learn.
import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { isServiceError, type ServerName } from '@gatehouse/contracts'
import { type Bench, createBench, local, messages, sessionOne } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
})
afterEach(() => bench.stop())

const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
const probe = async (name = 'sample') => bench.broker.controlPlane.probe({ name: name as ServerName }, context)
const failure = async (entry: unknown, variables: Record<string, string> = {}): Promise<string> => {
  bench.gateway.catalog = { sample: entry }
  await bench.start({ variables })
  const error: unknown = await probe().then(
    () => assert.fail('the probe succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(isServiceError(error) && error.code === 'upstream-failed', String(error))
  return error.detail
}

test('gives tools, server and time, and tells the gateway', async () => {
  bench.gateway.catalog = { sample: local() }
  await bench.start()
  const { tools, server, elapsedMs } = await probe()
  assert.deepEqual(tools[0], {
    name: 'echo',
    description: 'The tool echo',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  })
  assert.deepEqual(server, { name: 'fixture', version: '1.2.3', protocol: '2025-11-25' })
  assert.ok(elapsedMs > 0)
  assert.equal(bench.gateway.observed[0]?.server, 'sample')
})

test('has a connection of its own and leaves the shared one alone', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  await bench.start()
  const initializes = async () => (await messages(log)).filter(({ method }) => method === 'initialize').length
  await bench.call('sample__echo', { text: 'a' })
  await probe()
  await bench.call('sample__echo', { text: 'a' })
  assert.equal(await initializes(), 2)
})

test('probes the entry as the gateway holds it now', async () => {
  await bench.start()
  await assert.rejects(probe(), { code: 'not-found' })
  bench.gateway.catalog = { sample: local() }
  assert.equal((await probe()).tools.length, 16)
})

test('names a command that does not exist', async () => {
  assert.equal(await failure({ ...local(), command: 'no-such-command-anywhere' }), 'the server could not be started: command not found')
})

test('takes no relative path for a command', async () => {
  assert.equal(await failure({ ...local(), command: './tool-server.ts' }), 'the server could not be started: command not found')
})

test('names a command that may not be executed', async () => {
  const file = join(bench.directory, 'plain.txt')
  await writeFile(file, 'no program')
  await chmod(file, 0o600)
  assert.equal(await failure({ ...local(), command: file }), 'the server could not be started: its command may not be executed')
})

test('says that a server ended, and repeats nothing of what it wrote', async () => {
  const detail = await failure(
    { ...local({ TOKEN: '${SECRET}' }), args: ['-e', 'console.error(process.env.TOKEN); process.exit(1)'] },
    { SECRET: 'hunter2-hunter2' },
  )
  assert.equal(detail, 'the server ended')
})

test('says that a server does not speak MCP', async () => {
  const program =
    'process.stdin.on("data", (d) => { for (const l of String(d).trim().split("\\n")) console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(l).id, result: { x: 1 } })) })'
  assert.equal(await failure({ ...local(), args: ['-e', program] }), 'the server does not answer as MCP asks')
})

test('names a variable that is not set', async () => {
  assert.equal(await failure(local({ TOKEN: '${SECRET}' })), 'the variable SECRET is not set, or the catalog may not name it')
})

test('says that a server refused the connection', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => void closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  assert.equal(await failure({ transport: 'http', url: `http://127.0.0.1:${port}/mcp` }), 'the server refused the connection')
})

test('says that a name cannot be resolved', async () => {
  assert.equal(await failure({ transport: 'http', url: 'https://no-such-host.invalid/mcp' }), 'the name of the server cannot be resolved')
})

test('says that an address may not be dialled', async () => {
  assert.equal(await failure({ transport: 'http', url: 'https://169.254.169.254/mcp' }), 'the address of the server may not be dialled')
})

test('judges the text of a url that somebody wrote into the catalog by hand', async () => {
  assert.match(
    await failure({ transport: 'http', url: 'http://example.com/mcp' }),
    /the url of the server is refused: the URL must use https/,
  )
})
