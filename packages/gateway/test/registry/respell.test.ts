// Wirings of a state that was written before addresses had one spelling.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID, ChangeID, type Wired } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { admit, maySpeak } from '../../src/channels/admit.ts'
import { writeEffect } from '../../src/state/effects.ts'
import { readWirings } from '../../src/state/unit-config.ts'
import { audit } from '../fixtures/records.ts'
import { openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { makeGroup, makeWired } from '../fixtures/change-context.ts'

let unit: Unit
let store: Store
const open = async (dir?: string): Promise<void> => {
  unit = await openUnit(dir === undefined ? {} : { dir })
  store = unit.store
}
before(() => open())
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const idOf = (second: number): ChangeID => v.parse(ChangeID, `chg_202611221253${String(second).padStart(2, '0')}.000000000`)
const group = (name: string): AgentGroupID => v.parse(AgentGroupID, name)
const hook = (address: string, name: string, second: number): Wired =>
  makeWired(address, { channel: 'webhook', agentGroupID: group(name), changeID: idOf(second) })

/** As an older version wrote it. */
const insert = (wired: Wired) =>
  store.write((tx) =>
    tx.run('INSERT INTO wirings (channel, address, agent_group_id, record) VALUES (?, ?, ?, ?)', [
      wired.channel,
      wired.address,
      wired.agentGroupID,
      JSON.stringify(wired),
    ]),
  )

const stored = async () => (await readWirings(store.read)).map(({ address, agentGroupID }) => [address, agentGroupID])

test('stored addresses get the canonical spelling at a start, and the first approval keeps an address that two have', async () => {
  const wirings = [
    hook('http://ops.example/late', 'b', 9),
    hook('HTTP://Ops.example/late', 'a', 1),
    hook('http://ops.example/ops', 'a', 2),
    hook('HTTP://ops.example:80/ops', 'b', 3),
    hook('HTTPS://Own.example', 'b', 4),
    hook('desk', 'a', 5),
  ]
  for (const wired of wirings) await insert(wired)
  const wanted = [
    ['desk', 'a'],
    ['http://ops.example/late', 'a'],
    ['http://ops.example/ops', 'a'],
    ['https://own.example/', 'b'],
  ]
  for (const _ of ['first', 'second']) {
    await unit.close()
    await open(unit.dir)
    assert.deepEqual(await stored(), wanted)
  }
})

test('the journal names each wiring that was removed and the one that keeps its address, once', async () => {
  const lines = (await audit(unit)).filter(({ stage }) => stage === 'recovered')
  assert.deepEqual(
    lines.map(({ agentGroupID, changeID, kind, detail }) => ({ agentGroupID, changeID, kind, detail })),
    [
      [hook('HTTP://ops.example:80/ops', 'b', 3), hook('http://ops.example/ops', 'a', 2)] as const,
      [hook('http://ops.example/late', 'b', 9), hook('HTTP://Ops.example/late', 'a', 1)] as const,
    ].map(([removed, kept]) => ({ agentGroupID: group('b'), changeID: removed.changeID, kind: 'wiring', detail: { removed, kept } })),
  )
})

test('a crash between the line and its effect leaves the wirings as the line says', async () => {
  const wirings = [hook('http://twice.example/a', 'a', 11), hook('HTTP://twice.example/a', 'b', 12)]
  for (const wired of wirings) await insert(wired)
  const [kept, removed] = wirings
  const detail = JSON.parse(JSON.stringify({ removed, kept })) as Record<string, unknown>
  await unit.journal.append([{ stage: 'recovered', edge: 'gateway', principal: 'gateway', detail }])
  await unit.drop()
  await open(unit.dir)
  assert.deepEqual(
    (await stored()).filter(([address]) => String(address).includes('twice')),
    [['http://twice.example/a', 'a']],
  )
  assert.equal((await audit(unit)).filter(({ stage }) => stage === 'recovered').length, 3)
})

test('an address is found under each of its spellings, and taken away under each', async () => {
  await store.write((tx) => writeEffect(tx, { type: 'group', group: makeGroup() }))
  const deps = { store, freezes: { of: () => undefined } }
  const place = { channel: 'webhook', address: 'HTTP://OPS.example:80/%6fps' } as const
  assert.equal((await admit(deps, { ...place, user: 'kim' })).admitted, true)
  assert.equal(await maySpeak(deps, { ...place, agentGroupID: group('a') }), 'allowed')
  await store.write((tx) => writeEffect(tx, { type: 'unwired', ...place }))
  assert.equal(await maySpeak(deps, { ...place, agentGroupID: group('a') }), 'not_routed')
})

test('a line of an older journal that takes effect now writes the canonical spelling', async () => {
  await store.write((tx) => writeEffect(tx, { type: 'wired', wired: hook('HTTP://New.example/x', 'a', 6) }))
  assert.ok((await stored()).some(([address]) => address === 'http://new.example/x'))
})
