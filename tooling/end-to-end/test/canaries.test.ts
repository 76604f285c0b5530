// Twelve secrets in variables and headers of tool servers that say them wherever they can: none leaves the unit, in no encoding.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { execa } from 'execa'
import { say } from '../src/chat.ts'
import { request } from '../src/http.ts'
import { stateFiles } from '../src/state-files.ts'
import { openTools } from '../src/tools-socket.ts'
import { freePort, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { createCanaries } from './fixtures/canaries.ts'

const program = join(import.meta.dirname, 'fixtures/leaky-server.mjs')

const { variables, needles, found } = createCanaries(12)

let unit: Unit
let stopRemote = async (): Promise<void> => undefined
const seen: { where: string; text: string }[] = []
const note = (where: string, text: string): string => (seen.push({ where, text }), text)

const put = async (name: string, entry: object): Promise<void> => {
  const body = JSON.stringify(entry)
  const answer = await request(`${unit.address}/v1/registry/mcp-servers/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.ok(answer.status < 300, answer.text)
  note(`PUT ${name}`, answer.text)
}

before(async () => {
  const port = await freePort()
  const remote = execa(process.execPath, [program, '--http', String(port)], { stdio: 'ignore', reject: false })
  stopRemote = async () => {
    remote.kill('SIGTERM')
    await remote
  }
  const url = `http://127.0.0.1:${port}/mcp`
  await waitFor('the remote server', 60_000, async () => (await fetch(url)).status === 405)
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--log-level', 'debug'], env: variables })
  await say(unit, 'hello')
  const references = (first: number, name: (at: number) => string): Record<string, string> =>
    Object.fromEntries([0, 1, 2, 3, 4, 5].map((at) => [name(at), `\${CANARY_${first + at}}`]))
  await put('local', {
    transport: 'stdio',
    command: process.execPath,
    args: [program],
    env: references(0, (at) => `LEAK_${at}`),
  })
  await put('remote', { transport: 'http', url, headers: references(6, (at) => `x-leak-${at}`) })
  for (const server of ['local', 'remote']) {
    const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server, tools: [] } })
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  }
})
after(async () => {
  await unit.dispose()
  await stopRemote()
})

test('the servers know all of them and say them in every way, and no answer to an agent holds one', async () => {
  const tools = await openTools(unit)
  const list = await tools.list()
  assert.equal(list.body.tools?.length, 10)
  note('GET /tools', JSON.stringify(list))
  for (const server of ['local', 'remote']) {
    for (const act of ['text', 'encoded', 'fail', 'reject', 'structured']) {
      const answer = await tools.call(`${server}__${act}`)
      assert.equal(answer.status, 200)
      // Something stood there that was taken out.
      assert.match(JSON.stringify(answer.body), /••••/, `${server} ${act}`)
      note(`${server}__${act}`, JSON.stringify(answer))
    }
  }
  tools.close()
  assert.deepEqual(
    seen.flatMap(({ where, text }) => found(where, text)),
    [],
  )
})

test('no answer of the API, no journal line and no metric holds one', async () => {
  const routes = [
    'registry/mcp-servers',
    'registry/mcp-servers/local',
    'registry/mcp-servers/remote',
    'registry/mcp-servers/local/logs',
    'audit',
    'audit/calls',
    'status',
    'grants',
  ]
  const texts = await Promise.all(
    [...routes.map((path) => `v1/${path}?`), 'v1/changes/history?', 'v1/explain?agentGroupID=dev-agent&tool=local__text', 'metrics?'].map(
      async (path) => {
        const { status, text } = await request(`${unit.address}/${path}`)
        assert.equal(status, 200, path)
        return { path, text }
      },
    ),
  )
  for (const server of ['local', 'remote']) {
    const { status, text } = await request(`${unit.address}/v1/registry/mcp-servers/${server}/probe`, { method: 'POST' })
    assert.equal(status, 200, text)
    texts.push({ path: `probe ${server}`, text })
  }
  assert.ok(texts.some(({ path, text }) => path.includes('local/logs') && text.includes('••••')))
  assert.ok(texts.some(({ path, text }) => path.includes('audit/calls') && text.includes('"tool":"structured"')))
  assert.deepEqual(
    texts.flatMap(({ path, text }) => found(path, text)),
    [],
  )
})

test('no process has one among its arguments', async () => {
  const hits: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    hits.push(...found(`the arguments of ${pid}`, await readFile(`/proc/${pid}/cmdline`).catch(() => Buffer.alloc(0))))
  assert.deepEqual(hits, [])
})

test('no log line and no file of the state directory holds one, while the unit runs and when it has ended', async () => {
  const files = async (): Promise<string[]> => {
    const hits: string[] = []
    for await (const { path, bytes } of stateFiles(unit)) hits.push(...found(path, bytes))
    return hits
  }
  assert.deepEqual(await files(), [])
  await unit.stop()
  assert.deepEqual(await files(), [])
  assert.deepEqual(found('the log', unit.lines.join('\n')), [])
  assert.match(unit.lines.join('\n'), /mcp\.call/)
})

test('the search finds a canary in each of the encodings', () => {
  for (const { name, bytes } of needles)
    assert.ok(found('a text', Buffer.concat([Buffer.from('x'), bytes, Buffer.from('y')])).some((hit) => hit.endsWith(name)))
})
