// `--dev --mcp-isolation container`: the sample tool server of the new catalog can be granted and called like any other.
// Profile: rest. Repeats a call of a local server behind another isolation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { say } from '../src/chat.ts'
import { startUnit } from '../src/unit.ts'
import { lacking } from './fixtures/container-world.ts'

test('the sample that a new catalog begins with runs in a container', { skip: await lacking('docker'), timeout: 300_000 }, async (t) => {
  const unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker'],
  })
  t.after(unit.dispose)
  const { id } = await unit.client.changes.submit({
    kind: 'mcp_access',
    agentGroupID: 'dev-agent',
    after: { server: 'sample', tools: ['echo'] },
  })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  assert.equal(await say(unit, 'tool:sample__echo {"text":"from a container"}'), 'from a container')
})
