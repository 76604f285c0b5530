// An approved registration writes the catalog file after the line of its apply, and nothing is left of one that is not applied.
import assert from 'node:assert/strict'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ChangeID, TokenName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import * as v from 'valibot'
import { mint, type Person } from '../fixtures/crowd.ts'
import { createEnd, noting, settling } from '../fixtures/ending.ts'
import { createGroup, decide, fails, group, read, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer, stdio } from '../fixtures/tools.ts'
import { context, newDirectory, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const secret = { ...stdio, env: { TOKEN: 'literal-secret-5' } }
const wanted = { name: 'two', ...secret }
const catalog = 'mcp-catalog.json'

const file = async (dir: string) => JSON.parse(await readFile(join(dir, catalog), 'utf8')) as Record<string, unknown>

interface Scene {
  readonly unit: Unit
  readonly id: string
  readonly approver: Person
  /** The database answers so many more of these statements, and then nothing. */
  readonly endAfter: (prefix: string, answers: number) => void
  readonly goOn: () => void
}

const openScene = async (t: TestContext): Promise<Scene> => {
  const ending = createEnd()
  const unit = await openUnit({ store: ending.store })
  t.after(() => removeDirectory(unit.dir))
  await createGroup(unit, 'a')
  const approver = await mint(unit, { name: 'ann', role: 'approver' })
  const { id } = await submit(unit, ['mcp_register', 'a', wanted])
  const endAfter = (prefix: string, answers: number): void => ending.at(prefix, answers + 1)
  return { unit, id, approver, endAfter, goOn: () => ending.at('nothing begins so', 1) }
}

const revoke = ({ gateway }: Unit) => gateway.controlPlane.revokeToken({ token, name: v.parse(TokenName, 'ann') }, context)

test('a registration that failed, was held again and then rejected is written by no later act', async (t) => {
  const { unit, id, approver, endAfter, goOn } = await openScene(t)
  endAfter(settling, 0)
  assert.equal((await approver.decide(id, 'approve')).state, 'approved')
  await revoke(unit)
  goOn()
  await waitFor(async () => (await read(unit, id)).state === 'held', { what: 'the change to be held again' })
  assert.equal((await decide(unit, [id, 'reject'])).state, 'rejected')
  await putServer(unit, 'other')
  assert.deepEqual(await file(unit.dir), { other: stdio })
  await unit.close()
  const again = await openUnit({ dir: unit.dir })
  await again.gateway.controlPlane.reload({ token }, context)
  assert.deepEqual(await file(unit.dir), { other: stdio })
  await again.close()
})

type Append = Unit['journal']['append']

const refusingApply =
  (append: Append): Append =>
  async (lines) => {
    if (lines.some(({ stage }) => stage === 'apply')) throw new Error('the disk is full')
    return append(lines)
  }

const ends = {
  rejected: (unit: Unit, id: string) => decide(unit, [id, 'reject']),
  withdrawn: async ({ gateway }: Unit, id: string) => gateway.controlPlane.withdraw({ token, id: v.parse(ChangeID, id) }, context),
} as const

for (const [state, end] of Object.entries(ends))
  test(`a registration that is approved and not applied can be ${state}, and nothing of it is left`, async (t) => {
    const { unit, id, approver } = await openScene(t)
    const append = unit.journal.append.bind(unit.journal)
    unit.journal.append = refusingApply(append)
    assert.equal((await approver.decide(id, 'approve')).state, 'approved')
    assert.equal((await end(unit, id)).state, state)
    unit.journal.append = append
    await putServer(unit, 'other')
    assert.deepEqual(await file(unit.dir), { other: stdio })
    await unit.close()
  })

const stops = {
  'whose approval is revoked': { stop: revoke, state: 'held' },
  'that a freeze stops': {
    stop: (unit: Unit) => unit.gateway.controlPlane.freeze({ token, agentGroupID: group('a'), reason: 'a drill' }, context),
    state: 'approved',
  },
} as const

for (const [what, { stop, state }] of Object.entries(stops))
  test(`a registration ${what} before its line is not written by the start after a crash`, async (t) => {
    const { unit, id, approver, endAfter } = await openScene(t)
    endAfter(settling, 0)
    assert.equal((await approver.decide(id, 'approve')).state, 'approved')
    await stop(unit)
    await unit.drop()
    const again = await openUnit({ dir: unit.dir })
    assert.deepEqual([(await read(again, id)).state, await file(unit.dir)], [state, {}])
    await again.close()
  })

for (const [where, prefix, readings] of [
  ['between its line and the file', settling, 1],
  ['behind the file', noting, 0],
] as const)
  test(`a registration that ends ${where} is in the file after the next start, once`, async (t) => {
    const { unit, id, approver, endAfter } = await openScene(t)
    endAfter(prefix, readings)
    await approver.decide(id, 'approve').catch(() => undefined)
    await unit.drop()
    const again = await openUnit({ dir: unit.dir })
    assert.deepEqual([(await read(again, id)).state, await file(unit.dir)], ['applied', { two: secret }])
    assert.equal((await audit(again)).filter(({ stage }) => stage === 'catalog-reload').length, 0)
    assert.equal((await fails(submit(again, ['mcp_register', 'a', wanted]))).code, 'change-refused')
    await again.close()
  })

test('a registration whose line cannot be written leaves the catalog as it was', async (t) => {
  const { unit, id, approver } = await openScene(t)
  const append = unit.journal.append.bind(unit.journal)
  unit.journal.append = refusingApply(append)
  assert.equal((await approver.decide(id, 'approve')).state, 'approved')
  assert.deepEqual([await file(unit.dir), await unit.gateway.broker.catalog({}, context)], [{}, []])
  unit.journal.append = append
  await waitFor(async () => 'two' in (await file(unit.dir)), { what: 'the entry to be written' })
  assert.deepEqual([(await read(unit, id)).state, await file(unit.dir)], ['applied', { two: secret }])
  await unit.close()
})

test('a registration is applied by its own approval, never because the same entry is in the catalog already', async (t) => {
  const { unit, id, approver } = await openScene(t)
  const second = await submit(unit, ['mcp_register', 'a', wanted])
  assert.notEqual(second.id, id)
  assert.equal((await approver.decide(id, 'approve')).state, 'applied')
  const { state, failure } = await approver.decide(second.id, 'approve')
  assert.deepEqual([state, failure?.rule], ['apply_failed', 'server-name-in-use'])
  await unit.close()
})

test('an entry whose file cannot be written is shown as degraded, and written as soon as it can be', async (t) => {
  const dir = await newDirectory()
  t.after(() => removeDirectory(dir))
  const [there, away] = [join(dir, 'catalog'), join(dir, 'away')]
  await mkdir(there)
  const unit = await openUnit({ dir, boot: { catalog: join(there, catalog) } })
  await createGroup(unit, 'a')
  const { id } = await submit(unit, ['mcp_register', 'a', wanted])
  const append = unit.journal.append.bind(unit.journal)
  unit.journal.append = async (lines) => {
    const appended = await append(lines)
    if (lines.some(({ stage }) => stage === 'apply')) await rename(there, away)
    return appended
  }
  const degraded = async () => (await unit.gateway.supervisor.health({}, context)).degraded
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
  assert.deepEqual(await degraded(), ['catalog'])
  await rename(away, there)
  await waitFor(async () => (await degraded()).length === 0, { what: 'the entry to be written' })
  assert.deepEqual([await file(there), (await unit.gateway.broker.catalog({}, context)).length], [{ two: secret }, 1])
  await unit.close()
})
