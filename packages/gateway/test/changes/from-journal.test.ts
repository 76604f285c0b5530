// The journal alone makes the database: every line carries all that its effect needs, and doing it twice is doing it once.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { mint, person } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, fails, group, submit, token, type Wanted } from '../fixtures/people.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let now = Date.now()
const options = { clock: () => now, boot: { mountAllow: ['/srv/shared'] } }
let unit = await openTestUnit(options)

const place = { channel: 'slack', address: '#g' }
const applied: readonly Wanted[] = [
  ['persona', 'g', { instructions: 'x' }],
  ['tools', 'g', { enabled: ['run_script'] }],
  ['wiring', 'g', { ...place, engage: 'all', session: 'shared' }],
  ['permissions', 'g', { limits: { callsPerMinute: 3 } }],
  ['mounts', 'g', { mounts: [{ source: '/srv/shared/a', target: '/mnt/a', mode: 'ro' }] }],
  ['mcp_access', 'g', { server: 'sample', tools: ['echo', 'add'] }],
  ['mcp_revoke', 'g', { server: 'sample', tools: ['add'] }],
  ['mcp_register', 'g', { name: 'fresh', transport: 'stdio', command: '/bin/cat', env: { SECRET: 'hunter2' } }],
  ['mcp_access', 'gone', { server: 'sample', tools: [] }],
  ['wiring', 'gone', { channel: 'slack', address: '#gone', engage: 'all', session: 'shared' }],
  ['agent_remove', 'gone', {}],
]

await livedIn()

/** A history with a line of each stage of a change, of tokens and of freezes. */
async function livedIn(): Promise<void> {
  const { controlPlane, runner } = unit.gateway
  await putServer(unit, 'sample')
  for (const id of ['g', 'gone']) await createGroup(unit, id)
  await runner.openSession({ agentGroupID: group('g'), conversationID: 'c' as never }, context)
  for (const wanted of applied) assert.equal((await carry(unit, wanted)).state, 'applied', wanted[0])
  const held = async (text: string) => submit(unit, ['persona', 'g', { instructions: text }])
  await fails(submit(unit, ['mcp_access', 'g', { server: 'absent', tools: [] }]))
  await decide(unit, [(await held('rejected')).id, 'reject'], { reason: 'no' })
  await controlPlane.withdraw({ token, id: (await held('withdrawn')).id, reason: 'oh' }, context)
  const late = await held('expired')
  now += 8 * 24 * 60 * 60_000
  await fails(decide(unit, [late.id, 'approve']))
  await decide(unit, [(await submitStale()).id, 'approve'])
  await putServer(unit, 'brief')
  const failing = await submit(unit, ['mcp_access', 'g', { server: 'brief', tools: [] }])
  await controlPlane.removeServer({ token, name: server('brief') }, context)
  await decide(unit, [failing.id, 'approve'])
  await controlPlane.retry({ token, id: failing.id }, context)
  const alice = await mint(unit, { name: 'alice', role: 'approver' })
  await mint(unit, { name: 'bob', role: 'approver' })
  await controlPlane.revokeToken({ token, name: 'bob' }, context)
  await controlPlane.submit(
    {
      token: alice.token,
      submission: { kind: 'persona', agentGroupID: 'g', after: { instructions: 'keyed' } },
      idempotency: { route: 'r', key: 'k', body: sha256('b') },
    },
    context,
  )
  await controlPlane.freeze({ token, agentGroupID: group('g'), reason: 'x' }, context)
  await controlPlane.freeze({ token, reason: 'y' }, context)
  await controlPlane.unfreeze({ token, reason: 'z' }, context)
  await person(unit, alice.token).decide((await held('waits')).id, 'approve')
}

/** Approved without a digest, behind another one of its slice. */
async function submitStale() {
  const first = await submit(unit, ['persona', 'g', { instructions: 'first' }])
  await carry(unit, ['persona', 'g', { instructions: 'second' }])
  return first
}

const tables = {
  changes: 'SELECT * FROM changes ORDER BY id',
  groups: 'SELECT * FROM groups ORDER BY id',
  grants: 'SELECT * FROM grants ORDER BY agent_group_id, server',
  wirings: 'SELECT * FROM wirings ORDER BY channel, address',
  conditions: 'SELECT * FROM conditions ORDER BY change_id, session',
  idempotency: 'SELECT * FROM idempotency ORDER BY principal, route, key',
  tokens: 'SELECT * FROM tokens ORDER BY name',
  freezes: 'SELECT * FROM freezes ORDER BY scope',
} as const

const dump = async (): Promise<Record<string, unknown[]>> =>
  Object.fromEntries(await Promise.all(Object.entries(tables).map(async ([name, sql]) => [name, await unit.store.read.all(sql)] as const)))

test('a database that is lost is made again from the journal', async () => {
  const whole = await dump()
  for (const [name, rows] of Object.entries(whole)) assert.ok(rows.length > 0, name)
  await unit.close()
  for (const end of ['', '-wal', '-shm']) await rm(join(unit.dir, `gateway.db${end}`), { force: true })
  unit = await openUnit({ ...options, dir: unit.dir })
  assert.deepEqual(await dump(), whole)
})

test('every line done again over what it did already changes nothing', async () => {
  const whole = await dump()
  await unit.store.write((tx) => tx.run('DELETE FROM head'))
  await unit.drop()
  unit = await openUnit({ ...options, dir: unit.dir })
  assert.deepEqual(await dump(), whole)
})
