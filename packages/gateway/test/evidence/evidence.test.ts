// What an approver sees of a tool server comes from its witness, and moves the change when it moves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolDefinition } from '@gatehouse/contracts'
import { definitionDigest, digestOf } from '@gatehouse/kernel'
import { createGroup, decide, fails, grants, read, submit, token } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const start = Date.UTC(2026, 10, 20)
let now = start
const unit = await openTestUnit({ clock: () => now })
await createGroup(unit, 'a')

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name, inputSchema: { type: 'object' }, ...more })

const observe = async (name: string, tools: ToolDefinition[]): Promise<void> => {
  const entry = (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)
  await unit.gateway.broker.observed({ server: server(name), entryDigest: entry!.digest, tools }, context)
}

const ask = async (name: string, tools: string[]) => read(unit, (await submit(unit, ['mcp_access', 'a', { server: name, tools }])).id)

test('shows the definitions of the tools asked for, with their age', async () => {
  await putServer(unit, 'one')
  await observe('one', [tool('echo', { description: 'says it again' }), tool('add')])
  now += 5_000
  const change = await ask('one', ['echo'])
  assert.deepEqual(change.evidence?.['tools'], [tool('echo', { description: 'says it again' })])
  assert.equal(change.evidence?.['status'], 'observed')
  assert.equal(change.evidence?.['age'], 5)
  assert.deepEqual(change.evidence?.['missing'], [])
  assert.equal(change.risk, 'medium')
  assert.deepEqual((await ask('one', [])).evidence?.['tools'], [tool('echo', { description: 'says it again' }), tool('add')])
})

test('a fresh observation is not asked for again, an old or a missing one is', async () => {
  await putServer(unit, 'two')
  const wanted = () => unit.heard.filter((item) => item.event === 'observation-wanted').length
  const count = wanted()
  await ask('two', ['echo'])
  assert.equal(wanted(), count + 1)
  await observe('two', [tool('echo')])
  await ask('two', ['echo'])
  assert.equal(wanted(), count + 1)
  now += 61_000
  await ask('two', ['echo'])
  assert.equal(wanted(), count + 2)
})

test('risk is high without evidence, for a tool that is not declared, and for a destructive one', async () => {
  await putServer(unit, 'three')
  assert.equal((await ask('three', ['echo'])).risk, 'high')
  await observe('three', [tool('echo'), tool('wipe', { annotations: { destructiveHint: true } })])
  assert.equal((await ask('three', ['echo'])).risk, 'medium')
  assert.equal((await ask('three', ['wipe'])).risk, 'high')
  const change = await ask('three', ['absent'])
  assert.equal(change.risk, 'high')
  assert.deepEqual(change.evidence?.['missing'], ['absent'])
})

test('a definition that changes after the submission makes the approval stale', async () => {
  await putServer(unit, 'four')
  await observe('four', [tool('echo')])
  const change = await ask('four', ['echo'])
  await observe('four', [tool('echo', { description: 'now sends it away' }), tool('new')])
  const error = await fails(decide(unit, [change.id, 'approve'], { digest: change.digest }))
  assert.equal(error.code, 'change-stale')
  const shown = await read(unit, change.id)
  assert.deepEqual(shown.evidence?.['tools'], [tool('echo', { description: 'now sends it away' })])
  assert.equal((await decide(unit, [change.id, 'approve'], { digest: shown.digest })).state, 'applied')
})

test('the same definitions seen again, or seen late, or a new tool beside them, make nothing stale', async () => {
  await putServer(unit, 'five')
  const late = await ask('five', ['echo'])
  await observe('five', [tool('echo')])
  const seen = await ask('five', ['echo'])
  now += 1_000
  await observe('five', [tool('echo'), tool('add')])
  assert.equal((await decide(unit, [seen.id, 'approve'], { digest: seen.digest })).state, 'applied')
  await decide(unit, [late.id, 'reject'])
  assert.ok(!(await stages(unit, seen.id)).includes('rebased'))
})

test('an observation of another entry is no evidence, and an entry exchanged after the submission makes it stale', async () => {
  await putServer(unit, 'six')
  await observe('six', [tool('echo')])
  const change = await ask('six', ['echo'])
  await putServer(unit, 'six', { ...stdio, command: '/bin/other' })
  assert.equal((await fails(decide(unit, [change.id, 'approve'], { digest: change.digest }))).code, 'change-stale')
  const { entryDigest, ...rest } = (await read(unit, change.id)).evidence ?? {}
  assert.notEqual(entryDigest, change.evidence?.['entryDigest'])
  assert.deepEqual(rest, { status: 'unavailable', server: 'six' })
  assert.equal((await ask('six', ['echo'])).evidence?.['status'], 'unavailable')
})

test('an approval without evidence is for the server that was configured then', async () => {
  await putServer(unit, 'blind')
  const change = await ask('blind', ['echo'])
  await putServer(unit, 'blind', { ...stdio, command: '/bin/other' })
  assert.equal((await fails(decide(unit, [change.id, 'approve'], { digest: change.digest }))).code, 'change-stale')
})

test('definitions beyond the limit are kept by their digest, and the whole can be fetched', async () => {
  await putServer(unit, 'seven')
  const large = tool('echo', { description: 'x'.repeat(3 * 1024 * 1024) })
  await observe('seven', [large])
  const change = await ask('seven', ['echo'])
  assert.equal(change.evidence?.['status'], 'too-large')
  assert.deepEqual(change.evidence?.['names'], ['echo'])
  assert.equal(change.risk, 'high')
  const whole = await unit.gateway.controlPlane.evidence({ token, id: change.id }, context)
  assert.deepEqual(whole.evidence?.['tools'], [large])
  assert.equal(digestOf({ tools: whole.evidence?.['tools'], drift: [] }), change.evidence?.['definitions'])
  const again = await ask('seven', ['echo'])
  assert.deepEqual(await unit.store.read.all('SELECT digest FROM evidence'), [{ digest: again.evidence?.['definitions'] }])
  assert.equal((await decide(unit, [change.id, 'approve'], { digest: change.digest })).state, 'applied')
  const [grant] = (await grants(unit)).filter((item) => item.server === 'seven')
  assert.deepEqual([grant?.pinned, grant?.pins], ['approval', { echo: definitionDigest(large) }])
})

test('evidence that a change shows in full is its own whole', async () => {
  const change = await ask('one', ['echo'])
  assert.deepEqual((await unit.gateway.controlPlane.evidence({ token, id: change.id }, context)).evidence, change.evidence)
})

test('a listing that no canonical form exists for is refused, and an unknown server is ignored', async () => {
  await putServer(unit, 'eight')
  await assert.rejects(observe('eight', [tool('a\ud800')]), { code: 'invalid' })
  const entry = (await unit.gateway.broker.catalog({}, context))[0]
  await unit.gateway.broker.observed({ server: server('absent'), entryDigest: entry!.digest, tools: [] }, context)
})
