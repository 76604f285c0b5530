// svcctl audit and audit verify, the latter on a journal that the journal itself wrote.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { AuditEntry } from '@gatehouse/contracts'
import { type Head, openJournal } from '@gatehouse/journal'
import { createLogger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { callRecords, change, entries, hostileShown } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

test('audit prints the newest line last, and audit list is the same', async () => {
  await using unit = await startUnit()
  const options = { env: { SERVICE_API_URL: unit.address } }
  const piped = await svcctl(['audit'], options)
  const stages = piped.stdout.split('\n').map((line) => line.split('\t')[1])
  assert.deepEqual(stages, ['submit', 'approve', 'apply', undefined])
  assert.deepEqual(await svcctl(['audit', 'list'], options), piped)
  const json = await svcctl(['audit', '--limit', '2', '--json'], options)
  assert.deepEqual(v.parse(v.array(AuditEntry), JSON.parse(json.stdout)), entries.slice(1))
  const [header = ''] = (await svcctlAtTerminal(['audit'], options)).stdout.split('\n')
  assert.deepEqual(header.split(/\s+/), ['TIME', 'STAGE', 'CHANGE', 'KIND', 'GROUP', 'PRINCIPAL', 'BY'])
})

test('audit calls prints the newest record last, hides nothing of a name, and asks by every filter', async () => {
  await using unit = await startUnit()
  const options = { env: { SERVICE_API_URL: unit.address } }
  const filters = '--group dev-agent --session ses_abcdefghijklm --server sample --tool echo --op call --status refused'
  const times = '--since 2026-01-01T00:00:00Z --until 2026-02-01T00:00:00Z'
  const piped = await svcctl(['audit', 'calls', ...filters.split(' '), ...times.split(' ')], options)
  const rows = piped.stdout.split('\n').map((line) => line.split('\t').slice(3))
  assert.deepEqual(rows.slice(0, 2), [
    ['list', 'sample', '', 'ok', '200', '1.3'],
    ['call', 'sample', hostileShown, 'refused not-granted', '300', '0.5'],
  ])
  const { searchParams } = new URL(unit.asked[0]?.path ?? '', unit.address)
  assert.deepEqual(Object.fromEntries(searchParams), {
    agentGroupID: 'dev-agent',
    session: 'ses_abcdefghijklm',
    server: 'sample',
    tool: 'echo',
    op: 'call',
    status: 'refused',
    since: '2026-01-01T00:00:00Z',
    until: '2026-02-01T00:00:00Z',
    limit: '50',
  })
  const json = await svcctl(['audit', 'calls', '--json'], options)
  assert.deepEqual(JSON.parse(json.stdout), callRecords)
})

suite('svcctl audit verify', () => {
  let directory: string
  let head: Head
  const file = (): string => join(directory, 'audit.jsonl')

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'svcctl-journal-'))
    const log = createLogger({ process: 'test', level: 'error', write: () => undefined })
    const journal = await openJournal({
      path: file(),
      publicKeyPath: join(directory, 'journal.pub'),
      seed: Buffer.alloc(32, 7),
      epoch: 1,
      log,
    })
    for (const stage of ['submit', 'approve', 'apply'] as const) {
      await journal.append([{ stage, edge: 'gateway.control-plane', principal: 'admin', changeID: change.id, detail: {} }])
    }
    await journal.close()
  })
  after(() => rmSync(directory, { recursive: true }))

  test('says ok with the head of a sound journal, by directory and by file', async () => {
    const ended = await svcctl(['audit', 'verify', '--state-dir', directory])
    assert.equal(ended.stderr, '')
    assert.match(ended.stdout, /^ok: \d+ lines, head seq \d+ hash [0-9a-f]{64}\n$/)
    const json = JSON.parse((await svcctl(['audit', 'verify', '--file', file(), '--json'])).stdout) as { head: Head; signatures: boolean }
    head = json.head
    assert.equal(json.signatures, true)
    assert.equal((await svcctl(['audit', 'verify'], { env: { SERVICE_STATE_DIR: directory } })).stdout, ended.stdout)
  })

  test('finds one flipped byte, names the line and ends with 5', async () => {
    const sound = readFileSync(file(), 'utf8')
    writeFileSync(file(), sound.replace('"stage":"approve"', '"stage":"approvf"'))
    const ended = await svcctl(['audit', 'verify', '--state-dir', directory])
    const json = await svcctl(['audit', 'verify', '--state-dir', directory, '--json'])
    writeFileSync(file(), sound)
    assert.equal(ended.code, 5)
    assert.equal(ended.stdout, '')
    assert.match(ended.stderr, /line [23] is bad: /)
    assert.equal((JSON.parse(json.stderr) as { code: string }).code, 'conflict')
  })

  test('finds a journal that was cut when a head was kept elsewhere', async () => {
    const sound = readFileSync(file(), 'utf8')
    const kept = join(directory, 'head.json')
    writeFileSync(kept, JSON.stringify(head))
    assert.equal((await svcctl(['audit', 'verify', '--file', file(), '--head', kept])).code, 0)
    writeFileSync(file(), `${sound.split('\n').slice(0, 2).join('\n')}\n`)
    const ended = await svcctl(['audit', 'verify', '--file', file(), '--head', kept])
    writeFileSync(file(), sound)
    assert.equal(ended.code, 5)
  })

  test('ends with 4 where there is no journal and with 2 for a head that is none', async () => {
    assert.equal((await svcctl(['audit', 'verify', '--state-dir', join(directory, 'nowhere')])).code, 4)
    const printed = join(directory, 'verdict.json')
    writeFileSync(printed, (await svcctl(['audit', 'verify', '--state-dir', directory, '--json'])).stdout)
    assert.equal((await svcctl(['audit', 'verify', '--state-dir', directory, '--head', printed])).code, 0)
    writeFileSync(join(directory, 'no-head.json'), '{"seq": "1"}')
    assert.equal((await svcctl(['audit', 'verify', '--state-dir', directory, '--head', join(directory, 'no-head.json')])).code, 2)
  })
})
