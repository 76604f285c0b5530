// What a remote server may reach when it was an agent that proposed it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { carry, createGroup, decide } from '../fixtures/people.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const remote = { transport: 'http', url: 'https://mcp.example/mcp' } as const

const unit = await openTestUnit()
await createGroup(unit, 'asker')

const reach = async (name: string): Promise<unknown> => {
  const found = (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)?.entry
  return found?.transport === 'http' ? (found.reach ?? 'not said') : 'no such entry'
}

const propose = async (name: string, more: object = {}): Promise<void> => {
  const session = v.parse(SessionID, (await openSession(unit, 'asker')).id)
  const { id } = await unit.gateway.runner.submitFor({ session, kind: 'mcp_register', after: { name, ...remote, ...more } }, context)
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
}

test('what an agent proposed reaches public addresses alone, whatever it asked for', async () => {
  await propose('asked')
  await propose('asked-for-more', { url: 'https://other.example/mcp', reach: 'any' })
  assert.deepEqual([await reach('asked'), await reach('asked-for-more')], ['public', 'public'])
})

test('what a person proposed is as it was approved', async () => {
  await carry(unit, ['mcp_register', 'asker', { name: 'own', ...remote }])
  assert.equal(await reach('own'), 'not said')
})

test('an operator may lift the bound by writing the entry anew', async () => {
  await propose('lifted')
  await putServer(unit, 'lifted', { ...remote, reach: 'any' })
  assert.equal(await reach('lifted'), 'any')
})
