// What an applied change writes: whole rows, the same whether they are written once or again after a crash.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { AgentGroupID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type Effect, emptyRegistry, writeEffect } from '../../src/state/effects.ts'
import { createGroupStateReader, readGrants, readGroups, readWirings } from '../../src/state/unit-config.ts'
import { newDirectory, openState, removeDirectory } from '../fixtures/unit.ts'
import { makeGrant, makeGroup, makeWired, makeContext, stamp } from '../fixtures/change-context.ts'

const id = (name: string) => v.parse(AgentGroupID, name)
const inB = { agentGroupID: id('b') }

let dir: string
let state: Awaited<ReturnType<typeof openState>>
let store: Store
before(async () => {
  dir = await newDirectory()
  state = await openState(dir)
  store = state.store
})
after(async () => {
  await state.journal.close()
  await store.close()
  await removeDirectory(dir)
})

const write = (...effects: Effect[]) =>
  store.write(async (tx) => {
    for (const effect of effects) await writeEffect(tx, effect)
  })

const tables = ['groups', 'grants', 'wirings', 'call_counts', 'sessions'] as const
const dump = async () => JSON.stringify(await Promise.all(tables.map((table) => store.read.all(`SELECT * FROM ${table}`))))

beforeEach(async () => {
  await store.write(async (tx) => {
    await emptyRegistry(tx)
    await tx.run('DELETE FROM sessions')
    for (const [session, group] of [
      ['ses_a', 'a'],
      ['ses_b', 'b'],
    ] as const) {
      await tx.run('INSERT INTO sessions (id, agent_group_id, conversation_id, slot, opened_at) VALUES (?, ?, ?, 1, ?)', [
        session,
        group,
        'c',
        stamp.at,
      ])
    }
  })
  await write(
    { type: 'group', group: makeGroup() },
    { type: 'group', group: makeGroup({ id: id('b') }) },
    { type: 'grant', grant: makeGrant('sample') },
    { type: 'grant', grant: makeGrant('sample', inB) },
    { type: 'wired', wired: makeWired('#a') },
    { type: 'wired', wired: makeWired('#b', inB) },
  )
})

const effects: readonly Effect[] = [
  {
    type: 'group',
    group: makeGroup({ persona: 'bold', tools: ['search'], mounts: [{ source: '/srv/a', target: '/mnt/a', mode: 'ro', inode: '1' }] }),
  },
  { type: 'group-removed', agentGroupID: id('a'), at: stamp.at },
  { type: 'grant', grant: makeGrant('sample', { tools: ['echo'], state: 'revoked' }) },
  { type: 'wired', wired: makeWired('#a', { engage: 'all' }) },
  { type: 'wired', wired: makeWired('#new', inB) },
  { type: 'unwired', channel: 'slack', address: '#a' },
  { type: 'entry', name: makeGrant('new').server },
]

for (const effect of effects) {
  test(`${effect.type} written twice is written once`, async () => {
    await write(effect)
    const once = await dump()
    await write(effect)
    assert.equal(await dump(), once)
  })
}

test('a group that goes takes its grants, wirings and sessions along, and nothing of others', async () => {
  await write({ type: 'group-removed', agentGroupID: id('a'), at: stamp.at })
  assert.deepEqual(
    (await readGroups(store.read)).map((group) => group.id),
    ['b'],
  )
  assert.deepEqual(
    (await readGrants(store.read)).map((grant) => grant.agentGroupID),
    ['b'],
  )
  assert.deepEqual(
    (await readWirings(store.read)).map((wired) => wired.address),
    ['#b'],
  )
  assert.deepEqual(await store.read.all('SELECT id, closed_at AS closed FROM sessions ORDER BY id'), [
    { id: 'ses_a', closed: stamp.at },
    { id: 'ses_b', closed: null },
  ])
})

test('an address leads to one group: the last one that was written', async () => {
  await write({ type: 'wired', wired: makeWired('#a', inB) })
  assert.deepEqual(
    (await readWirings(store.read)).map(({ address, agentGroupID }) => [address, agentGroupID]),
    [
      ['#a', 'b'],
      ['#b', 'b'],
    ],
  )
})

test('one address of two channels is two addresses', async () => {
  await write({ type: 'wired', wired: makeWired('#a', { channel: 'email' }) }, { type: 'unwired', channel: 'email', address: '#a' })
  assert.equal((await readWirings(store.read)).length, 2)
})

test('a share holds its own group and grants, and every wiring, for many who ask at once', async () => {
  const { group, grants, wirings } = makeContext({ grants: [makeGrant('sample')], wirings: [makeWired('#a'), makeWired('#b', inB)] })
  const shareOf = createGroupStateReader(store.read)
  const shares = await Promise.all([id('a'), id('a'), id('absent'), id('a')].map(shareOf))
  for (const index of [0, 1, 3]) assert.deepEqual(shares[index], { group, grants, wirings })
  assert.deepEqual(shares[2], { group: undefined, grants: [], wirings })
})

test('an emptied registry has nothing left', async () => {
  await store.write((tx) => emptyRegistry(tx))
  for (const table of ['groups', 'grants', 'wirings', 'call_counts']) assert.deepEqual(await store.read.all(`SELECT * FROM ${table}`), [])
})
