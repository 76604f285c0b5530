// How far an applied change has come in each session is shown beside it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeID, type Condition, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { carry, createGroup, fails, submit, token } from '../fixtures/people.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await putServer(unit, 'sample')

const conditions = async (id: string): Promise<Condition[]> =>
  (await unit.gateway.controlPlane.change({ token, id: v.parse(ChangeID, id) }, context)).conditions
type Word = readonly [status: Condition['status'], reason?: string]
const tell = async (changeID: string, session: string, [status, reason]: Word) =>
  unit.gateway.runner.condition({ changeID: v.parse(ChangeID, changeID), session: v.parse(SessionID, session), status, reason }, context)
const statuses = async (id: string) => (await conditions(id)).map(({ session, status }) => [session, status])

const felt: readonly (readonly [kind: string, after: unknown])[] = [
  ['persona', { instructions: 'x' }],
  ['tools', { enabled: [] }],
  ['permissions', { limits: { callsPerMinute: 5 } }],
  ['mcp_access', { server: 'sample', tools: ['echo'] }],
  ['mcp_revoke', { server: 'sample' }],
]

test('each open session of the group has yet to feel what a relaunch brings, and no other', async () => {
  await createGroup(unit, 'a')
  await createGroup(unit, 'b')
  const sessions = [await openSession(unit, 'a', 'one'), await openSession(unit, 'a', 'two')].map(({ id }) => id).toSorted()
  await openSession(unit, 'b')
  for (const [kind, wanted] of felt) {
    const { id } = await carry(unit, [kind, 'a', wanted])
    assert.deepEqual(
      await statuses(id),
      sessions.map((session) => [session, 'pending']),
      kind,
    )
  }
  const wired = await carry(unit, ['wiring', 'a', { channel: 'slack', address: '#x', engage: 'all', session: 'shared' }])
  assert.deepEqual(await conditions(wired.id), [])
})

test('the runner tells how it went, and the last word counts, also after a restart', async () => {
  await createGroup(unit, 'told')
  const [one, two] = [await openSession(unit, 'told', 'one'), await openSession(unit, 'told', 'two')]
  const { id } = await carry(unit, ['persona', 'told', { instructions: 'x' }])
  await tell(id, one.id, ['ready'])
  await tell(id, two.id, ['failed', 'the sandbox did not start'])
  const found = await conditions(id)
  assert.equal(found.find(({ session }) => session === one.id)?.status, 'ready')
  assert.equal(found.find(({ session }) => session === two.id)?.reason, 'the sandbox did not start')
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.deepEqual(await conditions(id), found)
  await tell(id, two.id, ['ready'])
  assert.deepEqual(new Set((await conditions(id)).map(({ status }) => status)), new Set(['ready']))
})

test('what a session that is closed has yet to feel is shown no more', async () => {
  await createGroup(unit, 'closing')
  const session = await openSession(unit, 'closing')
  const { id } = await carry(unit, ['persona', 'closing', { instructions: 'x' }])
  await unit.gateway.runner.closeSession({ session: session.id }, context)
  assert.deepEqual(await conditions(id), [])
})

test('a session opened later feels it from the start', async () => {
  await createGroup(unit, 'later')
  const { id } = await carry(unit, ['persona', 'later', { instructions: 'x' }])
  await openSession(unit, 'later')
  assert.deepEqual(await conditions(id), [])
})

test('a session tells nothing about the changes of another group, of none, or not yet applied', async () => {
  await createGroup(unit, 'mine')
  await createGroup(unit, 'theirs')
  const session = await openSession(unit, 'mine')
  const foreign = await carry(unit, ['persona', 'theirs', { instructions: 'x' }])
  const held = await submit(unit, ['persona', 'mine', { instructions: 'x' }])
  for (const id of [foreign.id, held.id, 'chg_20260101000000.000000000']) {
    assert.equal((await fails(tell(id, session.id, ['ready']))).code, 'not-found')
  }
  assert.equal((await fails(tell(foreign.id, 'ses_aaaaaaaaaaaaa', ['ready']))).code, 'not-found')
  assert.deepEqual(await conditions(foreign.id), [])
})
