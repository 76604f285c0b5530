// What is told of grants while an act that touches them is under way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createClock } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import { createGrantTable, type GrantTable } from '../../src/state/grants.ts'

type State = 'before' | 'after'

const world = async () => {
  const seen: { state: State; loads: State[] } = { state: 'before', loads: [] }
  const all = async (): Promise<never[]> => {
    seen.loads.push(seen.state)
    await nextTurn()
    return []
  }
  const table = createGrantTable({ all } as unknown as Rows, createClock(Date.now))
  await table.rebuild()
  return { seen, table }
}

/** What somebody is told who asks while the act's effect can be seen already, and the act does not know yet that it is done. */
const askMeanwhile = async (table: GrantTable, seen: { state: State; loads: State[] }): Promise<State | 'nothing'> => {
  const committed = Promise.withResolvers<void>()
  const running = table.during(() => committed.promise)
  // Also one that asked before.
  void table.current()
  await nextTurn()
  seen.state = 'after'
  const isTold = table.now() !== undefined
  let told: State | 'nothing' = isTold ? (seen.loads.at(-1) ?? 'nothing') : 'nothing'
  const asked = table.current().then(() => (told = seen.loads.at(-1) ?? 'nothing'))
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  const before = told
  committed.resolve()
  await running
  await asked
  assert.equal(seen.loads.at(-1), 'after')
  return before
}

test('nobody is told of grants from before an act once its effect can be seen', async () => {
  const { seen, table } = await world()
  assert.equal(await askMeanwhile(table, seen), 'nothing')
  assert.ok(table.now() !== undefined)
})

test('nor of those that were read while a second act was under way, which began before the first had ended', async () => {
  const { seen, table } = await world()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const one = table.during(() => first.promise)
  const asked = table.current()
  await nextTurn()
  const two = table.during(() => second.promise)
  first.resolve()
  await one
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  seen.state = 'after'
  assert.equal(table.now(), undefined)
  second.resolve()
  await Promise.all([two, asked])
  assert.equal(seen.loads.at(-1), 'after')
})

test('a table that goes on while an act is under way tells what was', async () => {
  const { seen, table } = await world()
  const during: GrantTable['during'] = async (act) => {
    await act()
    await table.rebuild()
  }
  assert.equal(await askMeanwhile({ ...table, during }, seen), 'before')
})

test('after an act that failed the grants are read again, and the failure is the caller’s', async () => {
  const { seen, table } = await world()
  const failed = table.during(() => Promise.reject(new Error('no room')))
  await assert.rejects(failed, /no room/)
  assert.equal(table.now(), undefined)
  await table.current()
  assert.equal(seen.loads.length, 2)
})
