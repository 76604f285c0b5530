// A catalog file that an operator edits: nothing of it is lost, nothing of it holds before it is journaled.
import assert from 'node:assert/strict'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let unit: Unit
beforeEach(async () => {
  unit = await openUnit()
  await putServer(unit, 'one')
})
afterEach(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const path = (): string => join(unit.dir, 'mcp-catalog.json')
const write = (text: string): Promise<void> => writeFile(path(), text)
const edit = async (change: (entries: Record<string, unknown>) => void): Promise<void> => {
  const entries = JSON.parse(await readFile(path(), 'utf8')) as Record<string, unknown>
  change(entries)
  await write(JSON.stringify(entries))
}
const health = async () => unit.gateway.supervisor.health({}, context)
const reload = async () => unit.gateway.controlPlane.reload({ token }, context)
const names = async () => (await unit.gateway.controlPlane.servers({ token }, context)).items.map(({ name }) => name)
const reloads = async () => (await audit(unit)).filter(({ stage }) => stage === 'catalog-reload')
const remote = { transport: 'http', url: 'https://tools.example/mcp', headers: { Authorization: 'literal-secret-3' } }

test('is taken over by a reload: what came, changed and went is answered and journaled, values sealed', async () => {
  await putServer(unit, 'two')
  unit.heard.length = 0
  await edit((entries) => {
    entries['new'] = remote
    entries['one'] = { ...stdio, command: '/bin/other' }
    delete entries['two']
  })
  assert.deepEqual(await names(), ['one', 'two'])
  assert.deepEqual(await reload(), { added: ['new'], changed: ['one'], removed: ['two'], grants: [] })
  assert.deepEqual(await names(), ['new', 'one'])
  const [line] = await reloads()
  const entries = line?.detail['entries'] as { name: string; before: { digest: string } | null; after: { digest: string } | null }[]
  assert.deepEqual(
    entries.map(({ name, before, after }) => [name, before !== null, after !== null]),
    [
      ['new', false, true],
      ['one', true, true],
      ['two', true, false],
    ],
  )
  assert.notEqual(entries[1]?.before?.digest, entries[1]?.after?.digest)
  assert.ok(!(await readFile(join(unit.dir, 'audit.jsonl'), 'utf8')).includes('literal-secret'))
  assert.ok(unit.heard.some(({ event }) => event === 'catalog-changed'))
})

test('is not written over: an operator is told to reload first', async () => {
  await edit((entries) => (entries['new'] = remote))
  const lines = (await audit(unit)).length
  const remove = async () => unit.gateway.controlPlane.removeServer({ token, name: server('one') }, context)
  for (const act of [putServer(unit, 'three'), remove()]) {
    const error = await fails(act)
    assert.deepEqual([error.code, error.hint?.includes('reload')], ['conflict', true])
  }
  assert.equal((await audit(unit)).length, lines)
  await reload()
  await putServer(unit, 'three')
  assert.deepEqual(Object.keys(JSON.parse(await readFile(path(), 'utf8')) as object), ['new', 'one', 'three'])
})

const broken: readonly [what: string, act: () => Promise<unknown>][] = [
  ['is no JSON', () => write('{"one": literal-secret-4')],
  ['has an entry that may not be', () => edit((entries) => (entries['bad'] = { transport: 'http', url: 'http://a.example' }))],
  ['others may read', () => chmod(path(), 0o644)],
  ['is gone', () => rm(path())],
]

for (const [what, act] of broken) {
  test(`that ${what} is refused, and the last good one stays in force`, async () => {
    await act()
    const error = await fails(reload())
    assert.equal(error.code, 'conflict')
    assert.ok(!error.detail.includes('literal-secret'))
    assert.deepEqual(await names(), ['one'])
    assert.deepEqual(await reloads(), [])
    assert.deepEqual([(await health()).status, (await health()).degraded], ['degraded', ['catalog']])
    await writeFile(path(), JSON.stringify({ good: stdio }), { mode: 0o600 })
    await chmod(path(), 0o600)
    assert.deepEqual((await reload()).added, ['good'])
    assert.deepEqual((await health()).degraded, [])
  })

  test(`that ${what} takes nothing away from a gateway that dies and comes back`, async () => {
    const { items } = await unit.gateway.controlPlane.servers({ token }, context)
    await unit.drop()
    await act()
    const left = await readFile(path(), 'utf8').catch(() => undefined)
    unit = await openUnit({ dir: unit.dir, boot: { restarted: true } })
    assert.deepEqual((await unit.gateway.controlPlane.servers({ token }, context)).items, items)
    assert.deepEqual([(await health()).status, (await health()).degraded], ['degraded', ['catalog']])
    assert.equal((await fails(putServer(unit, 'two'))).code, 'conflict')
    assert.equal(await readFile(path(), 'utf8').catch(() => undefined), left, 'what an operator writes is left alone')
    assert.deepEqual(await reloads(), [])
    await writeFile(path(), JSON.stringify({ good: stdio }), { mode: 0o600 })
    await chmod(path(), 0o600)
    assert.deepEqual([(await reload()).added, (await health()).degraded], [['good'], []])
    assert.deepEqual(await names(), ['good'])
  })
}

test('that cannot be used is refused by a unit that starts anew', async () => {
  await unit.close()
  await write('{')
  await assert.rejects(openUnit({ dir: unit.dir }), isRefusal)
  await write(JSON.stringify({ one: stdio }))
  unit = await openUnit({ dir: unit.dir })
})

test('is taken over at a signal, and a broken one then breaks nothing', async () => {
  await edit((entries) => (entries['new'] = remote))
  await unit.gateway.reload()
  assert.deepEqual(await names(), ['new', 'one'])
  assert.equal((await reloads())[0]?.by, 'SIGHUP')
  await write('{')
  await unit.gateway.reload()
  assert.deepEqual(await names(), ['new', 'one'])
})

test('is compared with the journal at start, and each difference is journaled once', async () => {
  await unit.close()
  await edit((entries) => (entries['new'] = remote))
  unit = await openUnit({ dir: unit.dir })
  assert.deepEqual(await names(), ['new', 'one'])
  const [line] = await reloads()
  assert.equal(line?.principal, 'gateway')
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await reloads()).length, 1)
})
