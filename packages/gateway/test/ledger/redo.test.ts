// The line on disk first, its effect second: whatever fails between the two, the effect comes, once.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { breakable } from '../fixtures/breakable.ts'
import { carry, createGroup, decide, fails, grants, groups, read, submit } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit, type UnitOptions } from '../fixtures/unit.ts'

const inUnit = async (options: UnitOptions, act: (unit: Unit) => Promise<void>): Promise<void> => {
  const unit = await openUnit(options)
  try {
    await act(unit)
  } finally {
    await unit.close()
    await removeDirectory(unit.dir)
  }
}

for (const written of [false, true]) {
  test(`a transaction that fails ${written ? 'after' : 'before'} it is written is made good before the answer`, async () => {
    const { fault, wrap } = breakable()
    await inUnit({ store: wrap }, async (unit) => {
      Object.assign(fault, { broken: 1, written })
      await createGroup(unit, 'a')
      assert.deepEqual(
        (await groups(unit)).map((group) => group.id),
        ['a'],
      )
      assert.equal((await unit.store.read.all('SELECT id FROM changes')).length, 1)
    })
  })
}

test('an approval that cannot be applied now is answered as approved and applied as soon as it can be', async () => {
  const { fault, wrap } = breakable()
  await inUnit({ store: wrap }, async (unit) => {
    await createGroup(unit, 'a')
    const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
    let left = 1
    const original = unit.journal.append.bind(unit.journal)
    unit.journal.append = (lines) => {
      const appended = original(lines)
      if (lines.some((line) => line.stage === 'apply') && left-- > 0) fault.broken = 3
      return appended
    }
    const change = await decide(unit, [id, 'approve'])
    assert.equal(change.state, 'approved')
    await waitFor(async () => (await read(unit, id)).state === 'applied', { what: 'the change to be applied' })
    assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'self-approved', 'apply'])
    assert.equal((await groups(unit))[0]?.persona, 'x')
  })
})

test('an act whose line stands but whose effect cannot be written says so, and the next act finds its effect', async () => {
  const { fault, wrap } = breakable()
  await inUnit({ store: wrap }, async (unit) => {
    await createGroup(unit, 'a')
    const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
    fault.broken = 2
    const error = await fails(decide(unit, [id, 'approve'], { decidedBy: 'bob' }))
    assert.equal(error.code, 'unavailable')
    assert.equal((await decide(unit, [id, 'reject'])).state, 'rejected')
    assert.equal((await read(unit, id)).state, 'rejected')
    assert.deepEqual(await stages(unit, id), ['submit', 'approve', 'self-approved', 'reject'])
  })
})

test('a gateway that dies between line and effect does it again at its start, once', async () => {
  const { fault, wrap } = breakable()
  const first = await openUnit({ store: wrap })
  await putServer(first, 'sample')
  await createGroup(first, 'a')
  const session = await openSession(first, 'a')
  const { id } = await submit(first, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  fault.broken = Number.MAX_SAFE_INTEGER
  const error = await fails(decide(first, [id, 'approve']))
  assert.equal(error.code, 'unavailable')
  await first.drop()

  const second = await openUnit({ dir: first.dir })
  try {
    assert.equal((await read(second, id)).state, 'applied')
    assert.deepEqual(await authorize(second, session.id, ['sample', 'echo']), { allowed: true, agentGroupID: 'a' })
    assert.deepEqual(await stages(second, id), ['submit', 'approve', 'self-approved', 'apply'])
  } finally {
    await second.close()
  }
  const third = await openUnit({ dir: first.dir })
  assert.equal((await grants(third)).length, 1)
  assert.deepEqual(await stages(third, id), ['submit', 'approve', 'self-approved', 'apply'])
  await third.close()
  await removeDirectory(first.dir)
})

test('a database that is lost is built again from the journal', async () => {
  const first = await openUnit()
  await putServer(first, 'sample')
  await createGroup(first, 'a')
  await carry(first, ['persona', 'a', { instructions: 'x' }])
  await carry(first, ['mcp_access', 'a', { server: 'sample', tools: ['echo', 'add'] }])
  await carry(first, ['mcp_revoke', 'a', { server: 'sample', tools: ['echo'] }])
  const held = await submit(first, ['persona', 'a', { instructions: 'later' }])
  const before = [await groups(first), await grants(first), await read(first, held.id)]
  await first.close()
  for (const end of ['', '-wal', '-shm']) await removeDirectory(`${first.dir}/gateway.db${end}`)

  const second = await openUnit({ dir: first.dir })
  assert.deepEqual([await groups(second), await grants(second), await read(second, held.id)], before)
  assert.equal((await decide(second, [held.id, 'approve'])).state, 'applied')
  await second.close()
  await removeDirectory(first.dir)
})

test('a line that is missing from the journal is not passed over', async () => {
  const first = await openUnit()
  await createGroup(first, 'a')
  await carry(first, ['persona', 'a', { instructions: 'x' }])
  await first.close()
  for (const end of ['', '-wal', '-shm']) await removeDirectory(`${first.dir}/gateway.db${end}`)

  const second = await openUnit({
    dir: first.dir,
    journal: (journal) => ({
      ...journal,
      async *linesAfter(seq) {
        for await (const line of journal.linesAfter(seq)) if (line.entry.seq !== 5) yield line
      },
    }),
  })
  assert.equal((await fails(createGroup(second, 'b'))).code, 'audit-unwritable')
  assert.deepEqual(await groups(second), [])
  await second.close()
  await removeDirectory(first.dir)
})

test('a journal that cannot be written stops the act, and nothing changes', async () => {
  await inUnit({}, async (unit) => {
    await createGroup(unit, 'a')
    const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
    await rename(`${unit.dir}/audit.jsonl`, `${unit.dir}/elsewhere`)
    assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'audit-unwritable')
    assert.equal((await fails(submit(unit, ['persona', 'a', { instructions: 'y' }]))).code, 'audit-unwritable')
    assert.equal((await fails(putServer(unit, 'sample'))).code, 'audit-unwritable')
    assert.equal((await read(unit, id)).state, 'held')
    assert.equal((await groups(unit))[0]?.persona, '')
    const health = await unit.gateway.supervisor.health({}, context)
    assert.equal(health.status, 'failed')
    await rename(`${unit.dir}/elsewhere`, `${unit.dir}/audit.jsonl`)
    assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
    assert.equal((await unit.gateway.supervisor.health({}, context)).status, 'ready')
  })
})
