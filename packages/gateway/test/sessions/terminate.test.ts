// Sessions end when a person says so or their group goes, and nothing is allowed to them from then on.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServiceError, SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await putServer(unit, 'sample')
await createGroup(unit, 'a')
await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])

const terminate = async (session: string, presented = token) =>
  unit.gateway.controlPlane.terminate({ token: presented, session: v.parse(SessionID, session), reason: 'strange' }, context)
const nobody = { allowed: false, agentGroupID: null, code: 'not-granted' }

test('a terminated session is nobody at once, at every door, and its conversation gets another', async () => {
  const guard = await mint(unit, { name: 'guard', role: 'approver' })
  const session = await openSession(unit, 'a', 'ending')
  assert.equal((await authorize(unit, session.id, ['sample', 'echo'])).allowed, true)
  unit.heard.length = 0
  await terminate(session.id, guard.token)
  assert.deepEqual(
    unit.heard.filter(({ event }) => event === 'session-closed').map(({ by, payload }) => [by, payload]),
    [
      ['broker', { session: session.id }],
      ['runner', { session: session.id }],
    ],
  )
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), nobody)
  assert.equal((await fails(terminate(session.id))).code, 'not-found')
  const line = (await audit(unit)).at(-1)
  assert.deepEqual(
    [line?.stage, line?.principal, line?.agentGroupID, line?.detail],
    ['terminate', 'guard', 'a', { session: session.id, reason: 'strange' }],
  )
  assert.notEqual((await openSession(unit, 'a', 'ending')).id, session.id)
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), nobody)
})

test('what the runner notes of its own terminations closes nothing', async () => {
  const session = await openSession(unit, 'a', 'noted')
  await unit.gateway.runner.note({ stage: 'terminate', agentGroupID: session.agentGroupID, detail: { session: session.id } }, context)
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await openSession(unit, 'a', 'noted')).id, session.id)
})

test('a session is terminated while the journal cannot be written', async () => {
  const session = await openSession(unit, 'a', 'late')
  const path = join(unit.dir, 'audit.jsonl')
  await rename(path, `${path}.away`)
  await terminate(session.id)
  assert.deepEqual(await authorize(unit, session.id, ['sample', 'echo']), nobody)
  assert.notEqual((await openSession(unit, 'a', 'late')).id, session.id)
  await rename(`${path}.away`, path)
  await createGroup(unit, 'written')
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'terminate')
  assert.equal(line?.detail['session'], session.id)
  assert.ok(line.detail['late'])
})

test('a session that is terminated while neither journal nor database can be written does not come back', async () => {
  let broken = false
  const wrap = (store: Store): Store => ({
    ...store,
    write: (act) => (broken ? Promise.reject(new ServiceError('unavailable', { detail: 'the disk says no' })) : store.write(act)),
  })
  const faulty = await openUnit({ store: wrap })
  await createGroup(faulty, 'a')
  const session = await openSession(faulty, 'a')
  const path = join(faulty.dir, 'audit.jsonl')
  await rename(path, `${path}.away`)
  broken = true
  await faulty.gateway.controlPlane.terminate({ token, session: session.id }, context)
  assert.equal((await fails(async () => faulty.gateway.runner.session({ session: session.id }, context))).code, 'not-found')
  broken = false
  const next = await openSession(faulty, 'a')
  assert.notEqual(next.id, session.id)
  await rename(`${path}.away`, path)
  await createGroup(faulty, 'written')
  assert.equal((await openSession(faulty, 'a')).id, next.id)
  await faulty.close()
  const again = await openUnit({ dir: faulty.dir })
  assert.equal((await openSession(again, 'a')).id, next.id)
  await again.close()
  await removeDirectory(faulty.dir)
})

test('the sessions of a group that is removed end with it', async () => {
  await createGroup(unit, 'leaving')
  const sessions = [await openSession(unit, 'leaving', 'one'), await openSession(unit, 'leaving', 'two')]
  const other = await openSession(unit, 'a', 'staying')
  unit.heard.length = 0
  assert.equal((await carry(unit, ['agent_remove', 'leaving', {}])).state, 'applied')
  const closed = unit.heard.filter(({ event }) => event === 'session-closed')
  assert.equal(closed.length, 4)
  for (const { id } of sessions) {
    assert.deepEqual(await authorize(unit, id, ['sample', 'echo']), nobody)
    assert.equal((await fails(async () => unit.gateway.runner.session({ session: id }, context))).code, 'not-found')
  }
  assert.equal((await authorize(unit, other.id, ['sample', 'echo'])).allowed, true)
  assert.equal((await fails(openSession(unit, 'leaving', 'one'))).code, 'not-found')
  await createGroup(unit, 'leaving')
  const again = await openSession(unit, 'leaving', 'one')
  assert.ok(!sessions.some(({ id }) => id === again.id))
})
