// What is told is true: on disk and in the database before anybody hears of it, told once whatever fails, never for nothing.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { carry, createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { type Gated, openGated } from '../ledger/gates.ts'
import { becomesWhole } from '../ledger/urgent.ts'
import { allNews, askForAccess, decisionsIn, newsIn, sequence } from './hearing.ts'

let unit: Gated
beforeEach(async () => {
  unit = await openGated()
  await createGroup(unit, 'a')
  await putServer(unit, 'sample')
})
afterEach(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

for (const name of ['journal', 'database'] as const) {
  test(`nothing is told of an act while the ${name} has not taken it`, async () => {
    const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
    unit.heard.length = 0
    unit.gates[name].set('stuck')
    const deciding = decide(unit, [id, 'approve'])
    await waitFor(() => unit.gates[name].waiting() > 0, { what: 'the act to wait' })
    assert.deepEqual(unit.heard, [])
    assert.equal((await read(unit, id)).state, 'held')
    unit.gates[name].set('open')
    assert.equal((await deciding).state, 'applied')
    assert.deepEqual(sequence(unit.heard), ['news approve self-approved', 'news apply', 'runner group-changed'])
  })
}

test('nothing is told of an act that the journal refuses, then or later', async () => {
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  unit.heard.length = 0
  unit.gates.journal.set('shut')
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'audit-unwritable')
  assert.equal((await fails(submit(unit, ['persona', 'a', { instructions: 'y' }]))).code, 'audit-unwritable')
  assert.deepEqual(unit.heard, [])
  unit.gates.journal.set('open')
  await waitFor(() => unit.heard.length > 0, { what: 'the end of the outage' })
  assert.deepEqual(sequence(unit.heard), ['news recovered'])
})

test('an act that the database could not take is told when it has, once', async () => {
  const { id: session } = await openSession(unit, 'a')
  const { id } = await askForAccess(unit, session)
  unit.heard.length = 0
  unit.gates.database.set('shut')
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'unavailable')
  assert.deepEqual(unit.heard, [])
  unit.gates.database.set('open')
  await waitFor(() => decisionsIn(unit.heard).length > 0, { what: 'the end of the request' })
  await becomesWhole(unit)
  assert.deepEqual(
    decisionsIn(unit.heard).map(({ state }) => state),
    ['applied'],
  )
  assert.deepEqual(
    newsIn(unit.heard).map(({ stage }) => stage),
    ['approve', 'apply'],
  )
})

test('a transaction that was written although it failed has its word: no call is allowed on what was revoked', async () => {
  const { id: session } = await openSession(unit, 'a')
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  const { id } = await submit(unit, ['mcp_revoke', 'a', { server: 'sample' }])
  assert.equal((await authorize(unit, session, ['sample', 'echo'])).allowed, true)
  unit.heard.length = 0
  unit.gates.database.set('forgetful')
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
  assert.equal((await authorize(unit, session, ['sample', 'echo'])).allowed, false)
  assert.deepEqual(sequence(unit.heard), ['news approve self-approved', 'news apply', 'broker grant-changed', 'runner group-changed'])
  unit.gates.database.set('open')
  await submit(unit, ['persona', 'a', { instructions: 'x' }])
  assert.deepEqual(
    newsIn(unit.heard).map(({ stage }) => stage),
    ['approve', 'self-approved', 'apply', 'submit'],
  )
})

test('each line is told once while the database fails and forgets, in the order of the journal', async () => {
  const last = (await audit(unit)).at(-1)?.seq ?? 0
  unit.heard.length = 0
  const moods = ['forgetful', 'shut', 'open', 'forgetful', 'open', 'shut', 'open'] as const
  for (const [index, mood] of moods.entries()) {
    unit.gates.database.set(mood)
    await submit(unit, ['persona', 'a', { instructions: `x${index}` }]).catch(() => undefined)
  }
  await becomesWhole(unit)
  const told = newsIn(unit.heard).map(({ seq }) => seq)
  const expected = (await allNews(unit)).map(({ seq }) => seq).filter((seq) => seq > last)
  assert.ok(expected.length >= moods.length - 2)
  assert.deepEqual(told, expected)
})

test('a table of grants that cannot be read behind a line keeps nobody from hearing, and allows nothing that is over', async () => {
  let failing = 0
  const other = await openUnit({
    store: (store) => ({
      ...store,
      read: {
        ...store.read,
        all: (sql, params) =>
          sql.includes('FROM grants') && failing-- > 0 ? Promise.reject(new Error('the page is damaged')) : store.read.all(sql, params),
      },
    }),
    journal: (journal) => ({
      ...journal,
      append: async (lines) => {
        const appended = await journal.append(lines)
        failing = lines.some(({ stage }) => stage === 'apply') ? 1 : 0
        return appended
      },
    }),
  })
  await createGroup(other, 'a')
  await putServer(other, 'sample')
  const { id: session } = await openSession(other, 'a')
  await carry(other, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  const { id } = await submit(other, ['mcp_revoke', 'a', { server: 'sample' }])
  other.heard.length = 0
  assert.equal((await decide(other, [id, 'approve'])).state, 'applied')
  assert.deepEqual(sequence(other.heard), ['news approve self-approved', 'news apply', 'broker grant-changed', 'runner group-changed'])
  assert.equal((await authorize(other, session, ['sample', 'echo'])).allowed, false)
  await other.close()
  await removeDirectory(other.dir)
})

test('the stop is told once, and not again when its late line is written', async () => {
  const { controlPlane } = unit.gateway
  const { id: session } = await openSession(unit, 'a')
  unit.heard.length = 0
  unit.gates.journal.set('shut')
  await controlPlane.freeze({ token, reason: 'alarm' }, context)
  await controlPlane.terminate({ token, session }, context)
  const told = ['broker freeze-changed', 'runner freeze-changed', 'broker session-closed', 'runner session-closed']
  assert.deepEqual(sequence(unit.heard), told)
  unit.gates.journal.set('open')
  await becomesWhole(unit)
  await waitFor(() => newsIn(unit.heard).length > 0, { what: 'the news' })
  assert.deepEqual(sequence(unit.heard), [...told, 'news freeze terminate recovered'])
})

for (const [what, database] of [
  ['at once while the database takes it', 'open'],
  ['as soon as the database takes it', 'shut'],
] as const) {
  test(`a late rejection is told to who asked ${what}, once`, async () => {
    const { id: session } = await openSession(unit, 'a')
    const { id } = await askForAccess(unit, session)
    unit.heard.length = 0
    unit.gates.journal.set('shut')
    unit.gates.database.set(database)
    await decide(unit, [id, 'reject'], { reason: 'no' })
    unit.gates.database.set('open')
    const told = [{ session, id, state: 'rejected', kind: 'mcp_access', reason: 'no' }]
    if (database === 'shut') await waitFor(() => decisionsIn(unit.heard).length > 0, { what: 'the decision to be told' })
    const refused = unit.gates.journal.refused()
    await waitFor(() => unit.gates.journal.refused() > refused + 1, { what: 'the journal to be tried again' })
    assert.deepEqual(decisionsIn(unit.heard), told)
    assert.deepEqual(newsIn(unit.heard), [])
    unit.gates.journal.set('open')
    await becomesWhole(unit)
    await waitFor(() => newsIn(unit.heard).length > 0, { what: 'the news' })
    assert.deepEqual(decisionsIn(unit.heard), told)
    assert.deepEqual(
      newsIn(unit.heard).map(({ stage }) => stage),
      ['reject', 'recovered'],
    )
  })
}
