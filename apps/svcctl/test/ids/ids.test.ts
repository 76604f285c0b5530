// Ids as people type them: beginnings, rows of the last list, and the times that they are read by.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { shortIDs } from '../../src/output/values.ts'
import { change, session } from '../contents.ts'
import { type FakeUnit, startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

suite('ids that people type', () => {
  let unit: FakeUnit
  let home: string
  const other = { ...change, id: 'chg_20260102030405.000000002', state: 'applied' }
  const run = (...args: string[]) => svcctl(args, { env: { SERVICE_API_URL: unit.address, HOME: home } })
  const lastPath = (): string => unit.asked.at(-1)?.path ?? ''

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'svcctl-ids-'))
    unit = await startUnit({ answers: { 'GET /v1/changes/history': { items: [other] } } })
  })
  after(async () => {
    await unit.close()
    rmSync(home, { recursive: true })
  })

  test('a list shows the shortest beginning that tells an id from the others', () => {
    const ids = ['chg_20260102030405.000000001', 'chg_20260102030405.000000002', 'chg_20260102030406.000000001', 'ses_abcdefghijklm']
    assert.deepEqual(ids.map(shortIDs(ids)), [ids[0], ids[1], 'chg_20260102030406', 'ses_abc'])
    assert.equal(shortIDs([])('chg_1'), 'chg_1')
  })

  test('a beginning of an id names its change, and only changes of that time are read', async () => {
    const ended = await run('change', 'show', 'chg_20260102030405.000000001', '--jq', '.id')
    assert.deepEqual(ended, { code: 0, stdout: `${change.id}\n`, stderr: '' })
    assert.equal((await run('change', 'show', '20260102030405.00000000', '--jq', '.id')).code, 2)
    assert.match(lastPath(), /since=2026-01-02T03%3A04%3A05.000Z&until=2026-01-02T03%3A04%3A06.000Z/)
    await using alone = await startUnit({ answers: { 'GET /v1/changes/history': { items: [] } } })
    const short = await svcctl(['change', 'show', 'chg_202601', '--jq', '.id'], { env: { SERVICE_API_URL: alone.address, HOME: home } })
    assert.equal(short.stdout, `${change.id}\n`)
  })

  test('a beginning of several ids is refused and names them; one of none is not found', async () => {
    const several = await run('change', 'approve', 'chg_20260102030405', '--by', 'alice')
    assert.equal(several.code, 2)
    assert.match(several.stderr, /is the beginning of 2 changes: chg_20260102030405\.000000001, chg_20260102030405\.000000002/)
    assert.equal((await run('change', 'show', 'chg_2027')).code, 4)
    assert.equal((await run('change', 'show', 'nonsense')).code, 4)
    assert.ok(!unit.asked.some(({ method }) => method === 'POST'))
  })

  test('@1 names the first row of the last list that a person saw, of that unit only', async () => {
    const none = await run('change', 'show', '@1')
    assert.equal(none.code, 4)
    assert.match(none.stderr, /@1: no change was listed yet\nTry: svcctl change pending/)
    const env = { SERVICE_API_URL: unit.address, HOME: home }
    await svcctlAtTerminal(['change', 'pending'], { env })
    await svcctlAtTerminal(['session', 'list'], { env })
    assert.equal((await run('change', 'show', '@1', '--jq', '.id')).stdout, `${change.id}\n`)
    assert.equal((await run('session', 'show', '@1', '--jq', '.id')).stdout, `${session.id}\n`)
    assert.match((await run('change', 'show', '@2')).stderr, /@2: the last list has 1 rows/)
    await using elsewhere = await startUnit()
    const refused = await svcctl(['change', 'show', '@1'], { env: { SERVICE_API_URL: elsewhere.address, HOME: home } })
    assert.match(refused.stderr, /the last list came from http/)
    const file = join(home, '.local/state/svcctl/last-list.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object).toSorted(), ['change', 'session'])
  })

  test('a list in a pipe leaves the rows that a person saw as they are', async () => {
    await run('session', 'list')
    await run('change', 'history')
    assert.equal((await run('change', 'show', '@1', '--jq', '.id')).stdout, `${change.id}\n`)
  })

  test('--watch shows a list again, at a terminal only', async () => {
    const ended = await svcctlAtTerminal(['change', 'pending', '--watch'], {
      env: { SERVICE_API_URL: unit.address, HOME: home },
      typed: [
        ['REQUESTED-BY', ''],
        ['REQUESTED-BY', '\u0003'],
      ],
    })
    assert.equal(ended.code, 130)
    assert.equal(ended.stdout.match(/REQUESTED-BY/g)?.length, 2)
    const refused = await run('change', 'pending', '--watch')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /--watch needs a terminal/)
  })
})
