// svcctl audit and audit verify, the latter on a journal that the journal itself wrote.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { AuditEntry } from '@gatehouse/contracts'
import { type Head, openJournal } from '@gatehouse/journal'
import { createLogger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { callRecords, change, entries, hostileShown } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { keepState } from '../kept-state.ts'
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
  assert.deepEqual(header.trim().split(/\s+/).slice(0, 3), ['TIME', 'STAGE', 'CHANGE'])
  for (const name of header.trim().split(/\s+/))
    assert.ok(['TIME', 'STAGE', 'CHANGE', 'KIND', 'GROUP', 'SUBJECT', 'PRINCIPAL', 'BY'].includes(name), name)
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
    const checked = 'Checked: the chain of hashes, the signatures of checkpoints. '
    const unchecked = 'Not checked: the last line in the database, the head that was given.\n'
    assert.equal(ended.stderr, `Read ${file()}, no unit was asked.\n${checked}${unchecked}`)
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

suite('audit verify beside a database', () => {
  const stateDir = (t: TestContext): Promise<string> => {
    const directory = mkdtempSync(join(tmpdir(), 'svcctl-state-'))
    t.after(() => rmSync(directory, { recursive: true }))
    return keepState(directory, ['start', 'submit', 'approve', 'apply']).then(() => directory)
  }
  const verify = (directory: string, more: readonly string[] = []) => svcctl(['audit', 'verify', '--state-dir', directory, ...more])

  test('compares the journal with the last line in the database, and alters nothing', async (t) => {
    const directory = await stateDir(t)
    const before = readdirSync(directory)
    const ended = await verify(directory)
    assert.deepEqual([ended.code, ended.stdout.startsWith('ok: 5 lines')], [0, true], ended.stderr)
    assert.match(ended.stderr, /Checked: .*the last line in the database\. Not checked: the head that was given\.\n$/)
    assert.deepEqual(readdirSync(directory), before)
  })

  for (const [what, lines] of [
    ['is empty', 0],
    ['was cut behind its second line', 2],
    ['is without its last signature', 4],
  ] as const)
    test(`a journal that ${what} ends with 5`, async (t) => {
      const directory = await stateDir(t)
      const path = join(directory, 'audit.jsonl')
      const kept = readFileSync(path, 'utf8').split('\n').slice(0, lines)
      writeFileSync(path, kept.map((line) => `${line}\n`).join(''))
      const ended = await verify(directory)
      assert.deepEqual([ended.code, ended.stdout], [5, ''])
      assert.match(ended.stderr, new RegExp(`the journal ends at ${lines}, the last line in the database is 5`))
    })

  test("another unit's journal with its keys ends with 5", async (t) => {
    const [directory, other] = [await stateDir(t), mkdtempSync(join(tmpdir(), 'svcctl-other-'))]
    t.after(() => rmSync(other, { recursive: true }))
    await keepState(other, ['start', 'stop', 'start', 'stop', 'start', 'stop'])
    for (const name of ['audit.jsonl', 'journal.pub']) copyFileSync(join(other, name), join(directory, name))
    assert.equal((await verify(directory)).code, 5)
  })

  test('a database that cannot be read is no green light: it ends with 9, unless a head was given', async (t) => {
    const directory = await stateDir(t)
    const kept = join(directory, 'head.json')
    writeFileSync(kept, (await verify(directory, ['--json'])).stdout)
    rmSync(join(directory, 'keyring.json'))
    const ended = await verify(directory)
    assert.deepEqual([ended.code, ended.stdout], [9, ''])
    assert.match(ended.stderr, /keyring\.json: cannot read the master key/)
    const given = await verify(directory, ['--head', kept])
    assert.equal(given.code, 0)
    assert.match(given.stderr, /Not checked: the last line in the database\.\n$/)
    rmSync(join(directory, 'gateway.db'))
    writeFileSync(join(directory, 'state.json'), '{}')
    assert.match((await verify(directory)).stderr, /gateway\.db: the database is missing/)
  })
})
