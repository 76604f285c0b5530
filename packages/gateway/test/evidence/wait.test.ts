// A submission waits a little for its witness, and is held without it when it does not come.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { ToolDefinition } from '@gatehouse/contracts'
import { createGroup, fails, read, submit, token } from '../fixtures/people.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const start = Date.UTC(2026, 10, 20)
let now = start
let patient: Unit
let hasty: Unit
/** Something has the time to happen before it gives up. */
let steady: Unit
before(async () => {
  patient = await openUnit({ clock: () => now, evidenceWait: 30_000 })
  hasty = await openUnit({ clock: () => now, evidenceWait: 200 })
  steady = await openUnit({ clock: () => now, evidenceWait: 3_000 })
  for (const unit of [patient, hasty, steady]) await createGroup(unit, 'a')
})
after(async () => {
  for (const unit of [patient, hasty, steady]) {
    await unit.close()
    await removeDirectory(unit.dir)
  }
})

const tool = (name: string, description = ''): ToolDefinition => ({ name, description, inputSchema: { type: 'object' } })

const observe = async (unit: Unit, name: string, tools: ToolDefinition[]): Promise<void> => {
  const entry = (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)
  await unit.gateway.broker.observed({ server: server(name), entryDigest: entry!.digest, tools }, context)
}

const wanted = (unit: Unit, name: string): number =>
  unit.heard.filter(({ event, payload }) => event === 'observation-wanted' && JSON.stringify(payload).includes(`"${name}"`)).length

/** Until the broker has been asked so many times. */
const asked = async (unit: Unit, name: string, times: number): Promise<void> => {
  while (wanted(unit, name) < times) await new Promise(setImmediate)
}

const ask = (unit: Unit, name: string) => submit(unit, ['mcp_access', 'a', { server: name, tools: ['echo'] }])

test('an observation that arrives in time is the evidence', async () => {
  await putServer(patient, 'one')
  const submitted = ask(patient, 'one')
  await asked(patient, 'one', 1)
  await observe(patient, 'one', [tool('echo')])
  const change = await read(patient, (await submitted).id)
  assert.equal(change.evidence?.['status'], 'observed')
  assert.equal(change.risk, 'medium')
})

test('a fresh observation is not waited for', async () => {
  const change = await read(patient, (await submit(patient, ['mcp_access', 'a', { server: 'one', tools: ['echo'], maxCalls: 1 }])).id)
  assert.equal(change.evidence?.['status'], 'observed')
  assert.equal(wanted(patient, 'one'), 1)
})

test('a stale one is waited for, and the new one counts', async () => {
  now += 60_001
  const submitted = submit(patient, ['mcp_access', 'a', { server: 'one', tools: ['echo'], maxCalls: 2 }])
  await asked(patient, 'one', 2)
  await observe(patient, 'one', [tool('echo', 'new')])
  const change = await read(patient, (await submitted).id)
  assert.deepEqual(change.evidence?.['tools'], [tool('echo', 'new')])
  assert.equal(change.evidence?.['age'], 0)
})

test('without a witness the change is held with that, at high risk', async () => {
  await putServer(hasty, 'two')
  const change = await read(hasty, (await ask(hasty, 'two')).id)
  assert.equal(change.state, 'held')
  assert.equal(change.evidence?.['status'], 'unavailable')
  assert.equal(change.risk, 'high')
})

test('an observation that stays stale is no evidence', async () => {
  await putServer(hasty, 'three')
  await observe(hasty, 'three', [tool('echo')])
  now += 60_001
  const change = await read(hasty, (await ask(hasty, 'three')).id)
  assert.equal(change.evidence?.['status'], 'unavailable')
  assert.equal(wanted(hasty, 'three'), 1)
})

test('what is refused in any case waits for nobody', async () => {
  await putServer(patient, 'five')
  const past = { server: 'five', tools: ['echo'], expiresAt: '2020-01-01T00:00:00.000Z' }
  assert.equal((await fails(submit(patient, ['mcp_access', 'a', past]))).extra?.['rule'], 'expires-in-past')
  assert.equal(
    (await fails(submit(patient, ['mcp_access', 'a', { server: 'absent', tools: [] }]))).extra?.['rule'],
    'server-not-configured',
  )
  assert.equal(wanted(patient, 'five'), 0)
})

// Both wait to the end of their time.
suite('a wait to its end', { concurrency: true }, () => {
  test('the listing of another entry ends no wait', async () => {
    await putServer(steady, 'four')
    const submitted = ask(steady, 'four')
    await asked(steady, 'four', 1)
    await steady.gateway.broker.observed({ server: server('four'), entryDigest: 'f'.repeat(64) as never, tools: [tool('echo')] }, context)
    assert.equal((await read(steady, (await submitted).id)).evidence?.['status'], 'unavailable')
  })

  test('what happens during the wait counts: a server that has gone is refused', async () => {
    await putServer(steady, 'six')
    const submitted = fails(ask(steady, 'six'))
    await asked(steady, 'six', 1)
    await steady.gateway.controlPlane.removeServer({ token, name: server('six') }, context)
    assert.equal((await submitted).extra?.['rule'], 'server-not-configured')
  })
})
