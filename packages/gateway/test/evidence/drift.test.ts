// What has become of the tools that a standing grant is for: shown beside a new change, at high risk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, ToolDefinition } from '@gatehouse/contracts'
import { createGroup, decide, read, submit, token } from '../fixtures/people.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit({ boot: { pinning: 'warn' } })
await createGroup(unit, 'a')

const tool = (name: string, description: string): ToolDefinition => ({ name, description, inputSchema: { type: 'object' } })

const observe = async (name: string, tools: ToolDefinition[]): Promise<void> => {
  const entry = (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)
  await unit.gateway.broker.observed({ server: server(name), entryDigest: entry!.digest, tools }, context)
}

let asked = 0
/** Each is another change, since one that is asked for twice is one. */
const ask = async (name: string, tools: string[]): Promise<Change> => {
  asked += 1
  return read(unit, (await submit(unit, ['mcp_access', 'a', { server: name, tools, maxCalls: asked }])).id)
}

test('a pinned definition that changed is shown as it was and as it is, and makes the risk high', async () => {
  await putServer(unit, 'one')
  await observe('one', [tool('echo', 'says it'), tool('add', 'adds')])
  const first = await ask('one', ['echo', 'add'])
  assert.deepEqual([first.risk, first.evidence?.['drift']], ['medium', []])
  await decide(unit, [first.id, 'approve'])
  assert.equal((await ask('one', ['echo'])).risk, 'medium')
  await observe('one', [tool('echo', 'sends it away'), tool('add', 'adds')])
  const second = await ask('one', ['echo'])
  assert.deepEqual(second.evidence?.['drift'], [{ tool: 'echo', was: tool('echo', 'says it'), now: tool('echo', 'sends it away') }])
  assert.equal(second.risk, 'high')
})

test('a tool that is not asked for again does not count', async () => {
  const change = await ask('one', ['add'])
  assert.deepEqual([change.risk, change.evidence?.['drift']], ['medium', []])
})

test('a pinned tool that has gone is shown as it was', async () => {
  await observe('one', [tool('add', 'adds')])
  const change = await ask('one', ['echo', 'add'])
  assert.deepEqual(change.evidence?.['drift'], [{ tool: 'echo', was: tool('echo', 'says it') }])
  assert.deepEqual(change.evidence?.['missing'], ['echo'])
})

test('white space in a definition reaches the agent, so another one is drift', async () => {
  await observe('one', [tool('echo', 'says\n   it'), tool('add', 'adds')])
  const { evidence } = await ask('one', ['echo', 'add'])
  assert.deepEqual(evidence?.['drifted'] ?? evidence?.['drift'], [
    { tool: 'echo', was: tool('echo', 'says it'), now: tool('echo', 'says\n   it') },
  ])
})

test('what was shown by its digest is shown again from there', async () => {
  await putServer(unit, 'two')
  const large = tool('echo', 'x'.repeat(2 * 1024 * 1024))
  await observe('two', [large])
  await decide(unit, [(await ask('two', ['echo'])).id, 'approve'])
  await observe('two', [tool('echo', 'short')])
  const change = await ask('two', ['echo'])
  assert.equal(change.evidence?.['status'], 'too-large')
  assert.deepEqual(change.evidence?.['drifted'], ['echo'])

  const whole = await unit.gateway.controlPlane.evidence({ token, id: change.id }, context)
  assert.deepEqual(whole.evidence?.['drift'], [{ tool: 'echo', was: large, now: tool('echo', 'short') }])
})

test('a new approval pins what was shown with it, and the drift is gone', async () => {
  await observe('one', [tool('echo', 'sends it away')])
  await decide(unit, [(await ask('one', ['echo'])).id, 'approve'])
  assert.deepEqual((await ask('one', ['echo'])).evidence?.['drift'], [])
})
