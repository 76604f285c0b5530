// svcctl mcp: the catalog as people and programs see it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { ProbeResult, ServerView } from '@gatehouse/contracts'
import * as v from 'valibot'
import { at, hostileShown } from '../contents.ts'
import { type FakeUnit, startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

suite('svcctl mcp', () => {
  let unit: FakeUnit
  const run = (...args: string[]) => svcctl(['mcp', ...args], { env: { SERVICE_API_URL: unit.address } })
  const lastPut = (): unknown => unit.asked.findLast(({ method }) => method === 'PUT')?.body

  before(async () => {
    unit = await startUnit()
  })
  after(() => unit.close())

  test('list shows name, transport, state, tools and target', async () => {
    assert.equal((await run('list')).stdout, 'sample\tstdio\tup\t2\tnode main.mjs\nfar\thttp\t-\t-\thttps://mcp.example.org/mcp\n')
    const terminal = await svcctlAtTerminal(['mcp', 'list'], { env: { SERVICE_API_URL: unit.address } })
    assert.match(terminal.stdout, /^NAME +TRANSPORT +STATE +TOOLS +TARGET\n/)
    assert.equal(v.parse(v.array(ServerView), JSON.parse((await run('list', '--json')).stdout)).length, 2)
  })

  test('add makes a local entry, with arguments that begin with a dash and values that hold =', async () => {
    const ended = await run(
      'add',
      'fresh',
      '--command',
      'node',
      '--arg',
      'main.mjs',
      '--arg=-x',
      '--env',
      'A=b=c',
      '--env',
      'TOKEN=${TOKEN}',
      '--image',
      'img',
      '--own-per-session',
    )
    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' })
    assert.deepEqual(lastPut(), {
      transport: 'stdio',
      command: 'node',
      args: ['main.mjs', '-x'],
      env: { A: 'b=c', TOKEN: '${TOKEN}' },
      image: 'img',
      sharing: 'session',
    })
  })

  test('add makes a remote entry', async () => {
    await run('add', 'fresh', '--url', 'https://mcp.example.org', '--header', 'Authorization=Bearer ${T}')
    assert.deepEqual(lastPut(), { transport: 'http', url: 'https://mcp.example.org', headers: { Authorization: 'Bearer ${T}' } })
  })

  test('add takes an entry from a file, and names what is wrong in it without repeating it', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-entry-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'entry.json')
    const entry = { transport: 'stdio', command: 'node', args: ['main.mjs'], env: { TOKEN: '${TOKEN}' } }
    writeFileSync(file, JSON.stringify(entry))
    assert.equal((await run('add', 'fresh', '--file', file)).code, 0)
    assert.deepEqual(lastPut(), entry)
    assert.equal((await run('add', 'fresh', '--file', file, '--command', 'node')).code, 2)
    writeFileSync(file, JSON.stringify({ ...entry, args: 's3cr3t' }))
    const wrong = await run('add', 'fresh', '--file', file)
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /args/)
    assert.doesNotMatch(wrong.stderr, /s3cr3t/)
  })

  test('add refuses a name in use, and what belongs to the other transport', async () => {
    const used = await run('add', 'sample', '--command', 'node')
    assert.equal(used.code, 5)
    assert.match(used.stderr, /Try: .*--replace/)
    assert.equal((await run('add', 'fresh')).code, 2)
    assert.equal((await run('add', 'fresh', '--url', 'https://x.example', '--arg', 'a')).code, 2)
    const pair = await run('add', 'fresh', '--command', 'node', '--env', 's3cr3t')
    assert.equal(pair.code, 2)
    assert.doesNotMatch(pair.stderr, /s3cr3t/)
  })

  test('probe lists tools with their arguments, and their descriptions do no harm', async () => {
    assert.equal((await run('probe', 'sample')).stdout, `echo\ttext\tSays it again\nadd\ta, b\t${hostileShown}\n`)
    assert.equal(v.parse(ProbeResult, JSON.parse((await run('probe', 'sample', '--json')).stdout)).tools.length, 2)
    assert.equal((await run('probe', 'nobody')).code, 4)
  })

  test('logs shows whole lines that do no harm, and follows what comes until it cannot', async () => {
    const lines = `${at}  started\n${at}  ses_abcdefghijklm  ${hostileShown}\n`
    assert.equal((await run('logs', 'sample')).stdout, lines)
    const followed = await run('logs', 'sample', '-f')
    assert.equal(followed.stdout, `${lines}${at}  more\n`)
    assert.equal(followed.code, 4)
    assert.equal((JSON.parse((await run('logs', 'sample', '--json')).stdout) as unknown[]).length, 2)
  })
})
