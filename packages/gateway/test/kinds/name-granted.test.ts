// A name that groups may call is no name for another server: what they were granted is not handed to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { carry, createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { openSession, putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

let now = Date.now()
const unit = await openTestUnit({ clock: () => now })
await createGroup(unit, 'holder')
await createGroup(unit, 'asker')

const entry = { transport: 'stdio', command: '/bin/cat' }
const register = (name: string) => submit(unit, ['mcp_register', 'asker', { name, ...entry }])
const grant = (name: string, agentGroupID: string, more: object = {}) =>
  carry(unit, ['mcp_access', agentGroupID, { server: name, tools: ['echo'], ...more }])
const take = (name: string) => unit.gateway.controlPlane.removeServer({ token, name: server(name) }, context)

const leave = async (name: string, agentGroupID: string, more: object = {}): Promise<void> => {
  await putServer(unit, name)
  await grant(name, agentGroupID, more)
  await take(name)
}

test('a person is refused while a grant stands, and no other group is named', async () => {
  await leave('left', 'holder')
  const error = await fails(register('left'))
  assert.deepEqual([error.code, error.extra?.['rule']], ['change-refused', 'name-granted'])
  assert.ok(!error.detail.includes('holder'), error.detail)
  await carry(unit, ['mcp_revoke', 'holder', { server: 'left' }])
  assert.equal((await register('left')).state, 'held')
})

test('the own group is named, since it can be seen', async () => {
  await leave('own', 'asker')
  const { detail } = await fails(register('own'))
  assert.match(detail, /asker/)
})

test('an agent is refused too', async () => {
  await leave('left-too', 'holder')
  const session = v.parse(SessionID, (await openSession(unit, 'asker')).id)
  const asked = async () => unit.gateway.runner.submitFor({ session, kind: 'mcp_register', after: { name: 'left-too', ...entry } }, context)
  assert.equal((await fails(asked)).extra?.['rule'], 'name-granted')
})

test('a grant that came after the request fails its apply, and the catalog stays as it is', async () => {
  const { id } = await register('later')
  await leave('later', 'holder')
  const change = await decide(unit, [id, 'approve'])
  assert.deepEqual([change.state, change.failure?.rule], ['apply_failed', 'name-granted'])
  assert.ok(!(await unit.gateway.broker.catalog({}, context)).some(({ name }) => name === 'later'))
})

test('a grant that is over stands for nothing', async () => {
  await leave('over', 'holder', { expiresAt: new Date(now + 60_000).toISOString() })
  assert.equal((await fails(register('over'))).extra?.['rule'], 'name-granted')
  now += 60_000
  const { id } = await register('over')
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
  assert.equal((await read(unit, id)).state, 'applied')
})
