// Requests of agents that are refused cost little, and there is an end to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { list, tool } from '../fixtures/listing.ts'
import { createGroup, fails, read, submit } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

let now = Date.now()
const unit = await openTestUnit({ clock: () => now })
await putServer(unit, 'wide')

const past = '2020-01-01T00:00:00.000Z'
const large = () => list(unit, 'wide', [tool('echo', { description: 'x'.repeat(1024 * 1024) })])

const agent = async (id: string) => {
  await createGroup(unit, id)
  const session = v.parse(SessionID, (await openSession(unit, id)).id)
  return async (server: string, more: object = {}) =>
    unit.gateway.runner.submitFor({ session, kind: 'mcp_access', after: { server, tools: ['echo'], ...more } }, context)
}
const lines = async () => (await audit(unit)).length
const refused = async () => (await audit(unit)).filter(({ stage }) => stage === 'refuse').length

test(`${limits.agentRefusedChanges} different refused requests of a group within the window are kept, and no more`, async () => {
  const ask = await agent('many')
  const before = await refused()
  for (let index = 0; index < limits.agentRefusedChanges; index += 1) {
    assert.equal((await fails(ask(`absent-${index}`))).code, 'change-refused')
    now += 1000
  }
  const written = await lines()
  for (let index = 0; index < 5; index += 1) {
    const error = await fails(ask(`absent-more-${index}`))
    assert.equal(error.code, 'rate-limited')
    const left = limits.agentRefusedWindow / 1000 - limits.agentRefusedChanges
    assert.ok(Math.abs(Number(error.extra?.['retryAfter']) - left) <= 1, error.extra?.['retryAfter'])
  }
  assert.deepEqual([(await refused()) - before, (await lines()) - written], [limits.agentRefusedChanges, 0])
  assert.equal((await fails(ask('absent-0'))).code, 'change-refused', 'a known one is told again')
  assert.equal((await ask('wide')).state, 'held', 'what is not refused is taken')
  const other = await agent('other')
  assert.equal((await fails(other('absent-more-0'))).code, 'change-refused', 'another group has its own')
  const person = await fails(submit(unit, ['mcp_access', 'many', { server: 'absent', tools: [] }]))
  assert.equal(person.code, 'change-refused', 'people are not bound')
  now += limits.agentRefusedWindow
  assert.equal((await fails(ask('absent-more-0'))).code, 'change-refused', 'the window moves on')
})

test('what is refused without its evidence gets none, whoever asks', async () => {
  await large()
  const ask = await agent('heavy')
  const byAgent = await fails(ask('wide', { expiresAt: past }))
  const byPerson = await fails(submit(unit, ['mcp_access', 'heavy', { server: 'wide', tools: [], expiresAt: past }]))
  for (const error of [byAgent, byPerson]) {
    assert.equal(error.extra?.['rule'], 'expires-in-past')
    assert.equal((await read(unit, error.extra?.['changeID'] ?? '')).evidence, null)
  }
})

test('the same refused with other terms is the same', async () => {
  const ask = await agent('terms')
  const first = await fails(ask('wide', { expiresAt: past }))
  const before = await lines()
  for (let year = 2001; year < 2010; year += 1)
    assert.deepEqual((await fails(ask('wide', { expiresAt: `${year}-01-01T00:00:00.000Z`, maxCalls: year }))).extra, first.extra)
  assert.equal(await lines(), before)
})
