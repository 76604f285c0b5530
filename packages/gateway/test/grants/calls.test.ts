// Grants that allow so many calls: counted at once, kept through restarts, begun anew by a new grant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { carry, createGroup, grants } from '../fixtures/people.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { list, tool } from '../fixtures/listing.ts'
import { openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await putServer(unit, 'sample')

const allow = async (id: string, maxCalls?: number): Promise<string> => {
  await createGroup(unit, id)
  await list(unit, 'sample', [tool('echo')])
  await grant(id, maxCalls)
  return (await openSession(unit, id)).id
}
const grant = (id: string, maxCalls?: number) =>
  carry(unit, ['mcp_access', id, { server: 'sample', tools: ['echo'], ...(maxCalls === undefined ? {} : { maxCalls }) }])
const call = async (session: string): Promise<string> => {
  const verdict = await authorize(unit, session, ['sample', 'echo'])
  return verdict.allowed ? 'allowed' : verdict.code
}
const view = async (id: string) => (await grants(unit)).find(({ agentGroupID }) => agentGroupID === id)
const stored = async (id: string): Promise<number> =>
  (await unit.store.read.get<{ used: number }>('SELECT used FROM call_counts WHERE agent_group_id = ?', [id]))?.used ?? 0

test('allows as many calls as the grant says, also when all of them come at once, and then none', async () => {
  const session = await allow('many', 50)
  const answers = await Promise.all(Array.from({ length: 200 }, () => call(session)))
  assert.equal(answers.filter((answer) => answer === 'allowed').length, 50)
  assert.equal(answers.filter((answer) => answer === 'revoked').length, 150)
  const { calls, exhausted } = (await view('many')) ?? {}
  assert.deepEqual([calls, exhausted], [50, true])
})

test('counts what it allows and nothing that it refuses', async () => {
  const session = await allow('counted')
  await authorize(unit, session, ['sample', 'other'])
  await authorize(unit, session, ['nobody', 'echo'])
  await call(session)
  assert.equal((await view('counted'))?.calls, 1)
})

test('a new grant begins at zero, a narrowed one goes on', async () => {
  const session = await allow('renewed', 2)
  await call(session)
  await carry(unit, ['mcp_access', 'renewed', { server: 'sample', tools: ['echo', 'add'], maxCalls: 2 }])
  assert.equal((await view('renewed'))?.calls, 0)
  await call(session)
  await carry(unit, ['mcp_revoke', 'renewed', { server: 'sample', tools: ['add'] }])
  assert.equal((await view('renewed'))?.calls, 1)
  assert.deepEqual([await call(session), await call(session)], ['allowed', 'revoked'])
})

test('keeps the count when the gateway is stopped right after a call', async () => {
  const session = await allow('stopped', 3)
  await call(session)
  await call(session)
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await view('stopped'))?.calls, 2)
  assert.deepEqual([await call(session), await call(session)], ['allowed', 'revoked'])
})

test('a crash forgets at most what came within the delay', async () => {
  const session = await allow('crashed', 10)
  for (let turn = 0; turn < 4; turn += 1) await call(session)
  await waitFor(async () => (await stored('crashed')) === 4, { what: 'the count on disk' })
  await call(session)
  await unit.drop()
  unit = await openUnit({ dir: unit.dir })
  const calls = (await view('crashed'))?.calls ?? 0
  assert.ok(calls === 4 || calls === 5, `${calls}`)
})

test('a count that was kept of an earlier grant says nothing about the present one', async () => {
  const session = await allow('again', 1)
  await call(session)
  await waitFor(async () => (await stored('again')) === 1, { what: 'the count on disk' })
  await grant('again', 1)
  await unit.drop()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await view('again'))?.calls, 0)
  assert.equal(await call(session), 'allowed')
})

test('counts go on in memory while the database cannot be written, and are on disk when it can', async () => {
  let isFull = false
  let failed = 0
  const dir = unit.dir
  await unit.close()
  unit = await openUnit({
    dir,
    store: (store) => ({ ...store, write: (act) => (isFull ? Promise.reject(new Error(`disk full ${(failed += 1)}`)) : store.write(act)) }),
  })
  const session = await allow('full', 2)
  isFull = true
  assert.deepEqual([await call(session), await call(session), await call(session)], ['allowed', 'allowed', 'revoked'])
  await waitFor(() => failed > 1, { what: 'a second attempt' })
  assert.equal(await stored('full'), 0)
  isFull = false
  await waitFor(async () => (await stored('full')) === 2, { what: 'the count on disk' })
})
