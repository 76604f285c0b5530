// The blast radius of a change: what its agent can do now, and could do then.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID, ChangeID, type Power, type Reach } from '@gatehouse/contracts'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, decide, read, submit, token, type Wanted } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let unit: Unit
let now = Date.UTC(2026, 10, 21)
before(async () => {
  unit = await openUnit({ clock: () => now })
  await createGroup(unit, 'a')
  await putServer(unit, 'files')
  await list(unit, 'files', [
    tool('look', { annotations: { readOnlyHint: true } }),
    tool('wipe', { annotations: { destructiveHint: true } }),
    tool('plain'),
  ])
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const reach = (id: string): Promise<Reach> =>
  Promise.resolve(unit.gateway.controlPlane.reach({ token, id: v.parse(ChangeID, id) }, context))
const said = (powers: readonly Power[] | null | undefined, area: Power['area']): string[] =>
  (powers ?? [])
    .filter((power) => power.area === area)
    .map(({ name, detail, marks }) => [name, ...(detail === undefined ? [] : [detail]), ...marks].join(' | '))
const wanted = async (change: Wanted): Promise<Reach> => reach((await submit(unit, change)).id)

test('tells what a grant would add, tool by tool, and writes nothing', async () => {
  const { id } = await submit(unit, ['mcp_access', 'a', { server: 'files', tools: ['look', 'wipe', 'gone'], maxCalls: 3 }])
  const { can: present, could } = await reach(id)
  assert.deepEqual(said(present, 'server-tool'), [])
  assert.deepEqual(said(could, 'server-tool'), [
    'files__look | at most 3 calls in total | read-only',
    'files__wipe | at most 3 calls in total | destructive',
    'files__gone | at most 3 calls in total | undeclared',
  ])
  assert.deepEqual(said(could, 'tool'), said(present, 'tool'))
  assert.equal((await read(unit, id)).state, 'held')
  assert.deepEqual(said((await reach(id)).can, 'server-tool'), [])
  await decide(unit, [id, 'reject'])
  assert.equal((await reach(id)).could, undefined)
})

test('says that an open grant grows by itself, and what a revocation takes', async () => {
  const open = await carry(unit, ['mcp_access', 'a', { server: 'files', tools: [] }])
  const all = ['files__* | every', 'files__look | read-only', 'files__wipe | destructive', 'files__plain']
  assert.deepEqual(said((await reach(open.id)).can, 'server-tool'), all)
  const { can: present, could } = await wanted(['mcp_revoke', 'a', { server: 'files' }])
  assert.deepEqual([said(present, 'server-tool'), said(could, 'server-tool')], [all, []])
})

test('counts nothing that is over', async () => {
  const until = new Date(now + 60_000).toISOString()
  const { id } = await carry(unit, ['mcp_access', 'a', { server: 'files', tools: ['plain'], expiresAt: until }])
  assert.deepEqual(said((await reach(id)).can, 'server-tool'), [`files__plain | until ${until}`])
  now += 120_000
  assert.deepEqual(said((await reach(id)).can, 'server-tool'), [])
})

const each: readonly [what: string, change: Wanted, area: Power['area'], gained: string][] = [
  ['a tool that runs programs', ['tools', 'a', { enabled: ['run_script'] }], 'tool', 'run_script | runs-programs'],
  [
    'an address',
    ['wiring', 'a', { channel: 'slack', address: 'C1', engage: 'all', session: 'shared' }],
    'channel',
    'slack C1 | anyone who can post in that channel can message it; answers every message | anybody',
  ],
  [
    'an address at which a mention is enough',
    ['wiring', 'a', { channel: 'email', address: 'a@example.org', engage: 'mention', session: 'shared' }],
    'channel',
    'email a@example.org | anyone who can send mail to that address can message it; answers when mentioned | anybody',
  ],
  ['a limit', ['permissions', 'a', { limits: { memoryMiB: 1024 } }], 'limit', 'memoryMiB | 1024'],
  ['a person', ['permissions', 'a', { members: [{ channel: 'slack', user: 'U1' }] }], 'member', 'slack U1'],
]
for (const [what, change, area, gained] of each) {
  test(`tells ${what} from what was there`, async () => {
    const { can: present, could } = await wanted(change)
    assert.ok(!said(present, area).includes(gained))
    assert.ok(said(could, area).includes(gained), said(could, area).join('\n'))
  })
}

test('knows groups that are not there yet, and those that go', async () => {
  const created = await wanted(['agent_create', 'b', { id: 'b', name: 'b', agent: 'mock' }])
  assert.equal(created.can, null)
  assert.deepEqual(said(created.could, 'model'), ['mock agent'])
  const removed = await wanted(['agent_remove', 'a', {}])
  assert.equal(removed.could, null)
  assert.deepEqual(said(removed.can, 'model'), ['mock agent'])
})

test('notices that the world has moved away from what the change shows', async () => {
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'one' }])
  assert.equal((await reach(id)).moved, false)
  await carry(unit, ['persona', 'a', { instructions: 'two' }])
  assert.equal((await reach(id)).moved, true)
})

test('names the tokens of other people that may approve it, until it is decided', async () => {
  await createGroup(unit, 'named')
  await mint(unit, { name: 'ada', role: 'approver' })
  await mint(unit, { name: 'ben', role: 'approver', groups: [v.parse(AgentGroupID, 'other')] })
  await mint(unit, { name: 'eve', role: 'auditor' })
  await mint(unit, { name: 'old', role: 'approver', expiresAt: new Date(now + 1_000).toISOString() })
  now += 2_000
  const { id } = await submit(unit, ['persona', 'named', { instructions: 'Be kind.' }])
  assert.deepEqual((await reach(id)).approvers, ['ada'])
  await decide(unit, [id, 'reject'])
  assert.deepEqual((await reach(id)).approvers, [])
})
