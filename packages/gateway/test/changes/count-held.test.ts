// The number of changes that wait, as a status shows it: what the list would show, without reading any of it.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, decide, group, submit, token } from '../fixtures/people.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let isBroken = false
/** Searches for many rows. */
let asked: string[] = []
const watched = (store: Store): Store => ({
  ...store,
  read: {
    ...store.read,
    all: (sql, params) => {
      asked.push(sql)
      return store.read.all(sql, params)
    },
  },
  write: async (act) => {
    if (isBroken) throw new ServiceError('unavailable', { detail: 'the disk says no' })
    return store.write(act)
  },
})

let unit: Unit
const ids: string[] = []
before(async () => {
  unit = await openUnit({ store: watched })
  for (const id of ['a', 'b', 'c']) await createGroup(unit, id)
  for (const id of ['a', 'a', 'b']) ids.push((await submit(unit, ['persona', id, { instructions: `${ids.length}` }])).id)
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const held = async (by = token): Promise<number> => (await unit.gateway.controlPlane.heldCount({ token: by }, context)).held

test('counts what waits, and for a narrowed token what waits in its groups', async () => {
  assert.equal(await held(), 3)
  for (const [groups, expected] of [
    [['a'], 2],
    [['b', 'c'], 1],
    [['c'], 0],
  ] as const) {
    const narrow = await mint(unit, { name: `n-${groups.join('-')}`, role: 'auditor', groups: groups.map(group) })
    assert.equal(await held(narrow.token), expected, groups.join())
  }
})

test('reads no change for it', async () => {
  asked = []
  await held()
  assert.equal(asked.length, 1)
  assert.doesNotMatch(asked.join(), /record/)
})

test('does not count what was rejected while neither journal nor database could be written', async () => {
  await rename(join(unit.dir, 'audit.jsonl'), join(unit.dir, 'audit.jsonl.away'))
  isBroken = true
  await decide(unit, [ids[0] ?? '', 'reject'])
  assert.equal(await held(), 2)
  isBroken = false
  await rename(join(unit.dir, 'audit.jsonl.away'), join(unit.dir, 'audit.jsonl'))
})
