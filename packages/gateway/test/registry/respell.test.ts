// Wirings of a state that was written before addresses had one spelling.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID, ChangeID, type Wired } from '@gatehouse/contracts'
import { silentLogger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { admit, maySpeak } from '../../src/channels/admit.ts'
import { writeEffect } from '../../src/registry/effect.ts'
import { respellWirings } from '../../src/registry/respell.ts'
import { readWirings } from '../../src/registry/world.ts'
import { newDirectory, openState, removeDirectory } from '../fixtures/unit.ts'
import { makeGroup, makeWired } from '../fixtures/world.ts'

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
    await respellWirings({ store, log: silentLogger })
    assert.deepEqual(await stored(), wanted)
  }
})

test('an address is found under each of its spellings, and taken away under each', async () => {
  await store.write((tx) => writeEffect(tx, { type: 'group', group: makeGroup() }))
  const deps = { store, freezes: { of: () => undefined } }
  const place = { channel: 'webhook', address: 'HTTP://OPS.example:80/%6fps' } as const
  assert.equal((await admit(deps, { ...place, user: 'kim' })).admitted, true)
  assert.equal(await maySpeak(deps, { ...place, agentGroupID: group('a') }), 'allowed')
  await store.write((tx) => writeEffect(tx, { type: 'unwired', ...place }))
  assert.equal(await maySpeak(deps, { ...place, agentGroupID: group('a') }), 'unwired')
})

test('a line of an older journal that takes effect now writes the canonical spelling', async () => {
  await store.write((tx) => writeEffect(tx, { type: 'wired', wired: hook('HTTP://New.example/x', 'a', 6) }))
  assert.ok((await stored()).some(([address]) => address === 'http://new.example/x'))
})
