// svcctl files: what is given and fetched, what is never written over, and names that a terminal would obey.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { hostile, hostileShown } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

const file = (name: string): object => ({ name, kind: 'file', size: 5, modifiedAt: '2026-01-02T03:04:05.000Z', readable: true })
const page = { 'GET /v1/agent-groups/dev-agent/files': { items: [file(hostile), { ...file('in'), kind: 'directory' }] } }

suite('svcctl files', () => {
  let directory = ''
  let server: Server
  let env: Record<string, string> = {}
  const asked: { readonly method: string; readonly url: string; readonly body: Buffer }[] = []
  const bytes = Buffer.from([0, 1, 2, 0xff, 0x1b, 0x5b, 0x32, 0x4a])

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'svcctl-files-'))
    server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        asked.push({ method: request.method ?? '', url: request.url ?? '', body: Buffer.concat(pieces) })
        if (request.url?.includes('cut') === true) {
          response.writeHead(200, { 'content-length': '99' }).write(bytes, () => response.destroy())
          return
        }
        if (request.method === 'GET') return void response.writeHead(200).end(bytes)
        response.end(JSON.stringify({ place: 'memory', path: 'in/given', bytes: 8, digest: 'ab'.repeat(32) }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    env = { SERVICE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  })
  after(() => {
    server.close()
    server.closeAllConnections()
    rmSync(directory, { recursive: true })
  })

  test('shows names as they are, with nothing that a terminal would obey', async () => {
    await using unit = await startUnit({ answers: page })
    const ended = await svcctlAtTerminal(['files', 'ls', 'dev-agent', '/memory/x/'], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(ended.code, 0)
    assert.ok(ended.stdout.includes(hostileShown), ended.stdout)
    assert.match(ended.stdout, /^NAME +KIND +SIZE +AGE +FETCHED$/m)
    assert.match(ended.stdout, /^in\/ +directory +- /m)
    assert.equal(unit.asked[0]?.path, '/v1/agent-groups/dev-agent/files?place=memory&path=x&limit=200')
  })

  test('fetches bytes as they are, into a file of its own that nobody else reads', async () => {
    const out = join(directory, 'fetched')
    const ended = await svcctl(['files', 'get', 'dev-agent', '/workspace/a b/é', '--out', out], { env })
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', ''])
    assert.ok(readFileSync(out).equals(bytes))
    assert.equal(statSync(out).mode & 0o777, 0o600)
    assert.equal(asked.at(-1)?.url, '/v1/agent-groups/dev-agent/files/a%20b/%C3%A9?place=workspace')
  })

  test('writes over nothing unasked, and asks the unit for nothing then', async () => {
    const out = join(directory, 'taken')
    writeFileSync(out, 'mine')
    const before = asked.length
    const ended = await svcctl(['files', 'get', 'dev-agent', 'x', '--out', out], { env })
    assert.equal(ended.code, 5)
    assert.match(ended.stderr, /there is one\nTry: choose another --out, or add --force/)
    assert.equal(asked.length, before)
    assert.equal(readFileSync(out, 'utf8'), 'mine')
    assert.equal((await svcctl(['files', 'get', 'dev-agent', 'x', '--out', out, '--force'], { env })).code, 0)
    assert.ok(readFileSync(out).equals(bytes))
  })

  test('keeps nothing of a file that came in part, and says so', async () => {
    const out = join(directory, 'part')
    const ended = await svcctl(['files', 'get', 'dev-agent', 'cut', '--out', out], { env })
    assert.equal(ended.code, 5)
    assert.match(ended.stderr, /the response ended early: .*\nTry: try again/)
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith('part') || name.startsWith('.')),
      [],
    )
  })

  test('gives the bytes to a pipe, and a terminal what it can show', async () => {
    const piped = await svcctl(['files', 'get', 'dev-agent', 'x', '--out', '-'], { env })
    assert.equal(piped.stdout, bytes.toString())
    const shown = await svcctlAtTerminal(['files', 'get', 'dev-agent', 'x', '--out', '-'], { env })
    assert.doesNotMatch(shown.stdout, /\u001b/)
    assert.match(shown.stdout, /\\u\{1b\}\[2J/)
  })

  test('gives a file to the place that the agent knows it by', async () => {
    const given = join(directory, 'given')
    writeFileSync(given, bytes)
    for (const [target, url] of [
      [[], 'given?place=workspace'],
      [['/memory/in/'], 'in/given?place=memory'],
      [['in/other'], 'in/other?place=workspace'],
    ] as const) {
      assert.equal((await svcctl(['files', 'put', 'dev-agent', given, ...target], { env })).code, 0)
      assert.equal(asked.at(-1)?.url, `/v1/agent-groups/dev-agent/files/${url}`)
      assert.ok(asked.at(-1)?.body.equals(bytes))
    }
  })

  test('removes what the agent knows by a name, and says nothing but where somebody reads', async () => {
    const ended = await svcctl(['files', 'rm', 'dev-agent', '/memory/a b/\u202eé'], { env })
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', ''])
    assert.deepEqual(
      [asked.at(-1)?.method, asked.at(-1)?.url],
      ['DELETE', '/v1/agent-groups/dev-agent/files/a%20b/%E2%80%AE%C3%A9?place=memory'],
    )
  })

  test('asks at a terminal before it removes, and shows no name that it would obey', async () => {
    const before = asked.length
    const declined = await svcctlAtTerminal(['files', 'rm', 'dev-agent', 'a\u001b[2J'], { env, typed: [['[y/N]', 'n\r']] })
    assert.equal(declined.code, 5)
    assert.equal(asked.length, before)
    assert.ok(!declined.stdout.includes('\u001b[2J'))
    const removed = await svcctlAtTerminal(['files', 'rm', 'dev-agent', 'a\u001b[2J', '--yes'], { env })
    assert.equal(removed.code, 0, removed.stdout)
    assert.deepEqual([asked.at(-1)?.method, asked.length], ['DELETE', before + 1])
    assert.match(removed.stdout, /Removed \/workspace\/a\\u\{1b\}\[2J\./)
  })

  test('sends nothing that is too large, no file, or has no place', async () => {
    const large = join(directory, 'large')
    writeFileSync(large, '')
    truncateSync(large, limits.file + 1)
    const before = asked.length
    for (const [args, hint] of [
      [['put', 'dev-agent', large], /Try: give it in parts/],
      [['put', 'dev-agent', directory], /Try: pack a directory first/],
      [['put', 'dev-agent', join(directory, 'nothing')], /ENOENT\nTry: check the path/],
      [['put', 'dev-agent', join(directory, 'fetched'), '/etc/passwd'], /Try: such as \/workspace\/report.md/],
      [['rm', 'dev-agent', '/etc/passwd'], /Try: such as \/workspace\/report.md/],
      [['get', 'dev-agent', 'a\u202eb'], /Try: name a file with --out/],
    ] as const) {
      const ended = await svcctl(['files', ...args], { env })
      assert.equal(ended.code, 2, ended.stderr)
      assert.match(ended.stderr, hint)
    }
    assert.equal(asked.length, before)
  })
})
