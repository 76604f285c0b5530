// The sample as real clients see it, over both transports.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Listening, main, runToEnd, startHttp, stop } from './program.ts'

let listening: Listening
before(async () => {
  listening = await startHttp(':0')
})
after(() => stop(listening.child))

const transports = {
  stdio: () => new StdioClientTransport({ command: process.execPath, args: [main] }),
  'http at /mcp': () => new StreamableHTTPClientTransport(new URL('/mcp', listening.url)),
  'http at /': () => new StreamableHTTPClientTransport(new URL('/', listening.url)),
}

for (const [name, makeTransport] of Object.entries(transports))
  test(`echoes and adds over ${name}`, async () => {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(makeTransport())
    try {
      const { tools } = await client.listTools()
      assert.deepEqual(tools.map((tool) => tool.name).toSorted(), ['add', 'echo'])
      const echoed = await client.callTool({ name: 'echo', arguments: { text: 'hi ✓' } })
      assert.deepEqual(echoed.content, [{ type: 'text', text: 'hi ✓' }])
      const added = await client.callTool({ name: 'add', arguments: { a: 2, b: 0.5 } })
      assert.deepEqual(added.content, [{ type: 'text', text: '2.5' }])
      const wrong = await client.callTool({ name: 'add', arguments: { a: 'two', b: 3 } })
      assert.equal(wrong.isError, true)
    } finally {
      await client.close()
    }
  })

test('serves several sessions at once, and ends the one that is deleted alone', async () => {
  const url = new URL('/mcp', listening.url)
  const [first, second] = [new StreamableHTTPClientTransport(url), new StreamableHTTPClientTransport(url)]
  const clients = [new Client({ name: 'one', version: '0' }), new Client({ name: 'two', version: '0' })] as const
  await Promise.all([clients[0].connect(first), clients[1].connect(second)])
  assert.notEqual(first.sessionId, second.sessionId)
  const gone = first.sessionId
  await first.terminateSession()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': String(gone) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  assert.equal(answer.status, 404)
  const echoed = await clients[1].callTool({ name: 'echo', arguments: { text: 'still here' } })
  assert.deepEqual(echoed.content, [{ type: 'text', text: 'still here' }])
  await Promise.all(clients.map((client) => client.close()))
})

/** fetch sets Host itself, so this goes by node:http. */
const statusWith = (headers: Record<string, string>, path = '/mcp'): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(new URL(path, listening.url), { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end('{}')
  })

test('refuses a Host header that names another site', async () => {
  assert.equal(await statusWith({ host: 'evil.example' }), 403)
  assert.equal(await statusWith({ host: '127.0.0.1.evil.example' }), 403)
})

test('refuses an Origin header that names another site', async () => {
  assert.equal(await statusWith({ origin: 'https://evil.example' }), 403)
  assert.equal(await statusWith({ origin: 'null' }), 403)
})

test('answers 404 on other paths', async () => {
  assert.equal(await statusWith({}, '/other'), 404)
})

test('ends with status 0 on SIGTERM while a session is open', async () => {
  const own = await startHttp('127.0.0.1:0')
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', own.url)))
  assert.equal(await stop(own.child), 0)
  await client.close()
})

test('refuses to listen where others could reach it', async () => {
  for (const address of ['0.0.0.0:0', '192.0.2.1:80', '[::]:0', '127.0.0.1.evil.example:1', 'nonsense', ':99999']) {
    const { code, stderr } = await runToEnd(['--http', address])
    assert.equal(code, 2, address)
    assert.match(stderr, /expected/, address)
  }
})

test('--help prints usage with an example of each transport, and ends with 0', async () => {
  const { code, stdout, stderr } = await runToEnd(['--help'])
  assert.deepEqual([code, stderr], [0, ''])
  for (const part of ['Usage:', '--http', 'stdin', 'Example:', 'svcctl mcp add']) assert.ok(stdout.includes(part), part)
})

test('an unknown flag is named, and leads to --help', async () => {
  const { code, stderr } = await runToEnd(['--port', '1'])
  assert.equal(code, 2)
  assert.match(stderr, /--port/)
  assert.match(stderr, /--help/)
})
