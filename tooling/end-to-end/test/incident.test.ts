// The page about incidents, followed word for word on a unit: each of its commands runs, in its order, and does what it says.
// Profile: rest. Follows a long page on a whole unit; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyChange } from '../src/changes.ts'
import { say } from '../src/chat.ts'
import { follow } from '../src/documents/follow.ts'
import { startUnit, type Unit } from '../src/unit.ts'

let unit: Unit
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
})
after(() => unit.dispose())

const explained = () => unit.client.explain('dev-agent', 'sample__echo')

test('freeze, investigate, explain, revoke and lift go as the page says', async () => {
  const granted = await applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
  assert.match(await say(unit, 'tool:sample__echo {"text":"hi"}'), /hi/)
  const session = (await unit.client.sessions.list()).items[0]?.id ?? ''
  await unit.client.tokens.create({ name: 'mallory', role: 'requester' })
  assert.equal((await explained()).allowed, true)

  await follow('docs/how-to/incident.md', {
    address: unit.address,
    places: { SESSION: session, CHANGE: granted, '/var/lib/gatehouse/state': unit.stateDir },
  })
  assert.equal((await explained()).allowed, false)
  assert.deepEqual((await unit.client.status()).frozen, [])
  assert.equal(
    (await unit.client.tokens.list()).items.some(({ name }) => name === 'mallory'),
    false,
  )
})
