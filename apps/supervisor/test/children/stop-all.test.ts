// How a unit goes down: in which order, and when its processes hear nothing.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { silentLogger } from '@gatehouse/kernel'
import type { Birth } from '../../src/children/roster.ts'
import { stopAll } from '../../src/children/spawn.ts'
import { Kept } from '../../src/children/supervise.ts'

const names = ['gateway', 'broker', 'channels', 'runner', 'control-plane'] as const

/** Each says in `seen` when it is asked to end and when it is gone. */
const start = async (t: TestContext, fixture: string) => {
  const seen: string[] = []
  const children = names.map((name) => {
    const kept = new Kept({
      birth: { name, boot: {} } as unknown as Birth,
      entry: join(import.meta.dirname, '../fixtures', fixture),
      compileCache: join(tmpdir(), 'gatehouse-compile-cache'),
      log: silentLogger,
      onLine: () => undefined,
      onSecret: () => undefined,
    })
    t.after(() => kept.stop(0))
    return { name, kept }
  })
  await Promise.all(children.map(({ kept }) => kept.ready))
  const stop = async (name: (typeof names)[number], kept: Kept, most: number): Promise<void> => {
    seen.push(`${name} asked`)
    await kept.stop(most)
    seen.push(`${name} ${kept.state.state}`)
  }
  return { seen, children: children.map(({ name, kept }) => ({ name, stop: (most: number) => stop(name, kept, most) })) }
}

const order = (seen: readonly string[]): string[][] => [
  seen.slice(0, 2),
  seen.slice(2, 4).toSorted(),
  seen.slice(4, 6).toSorted(),
  seen.slice(6, 8),
  seen.slice(8),
]

const expected = [
  ['control-plane asked', 'control-plane down'],
  ['broker asked', 'channels asked'],
  ['broker down', 'channels down'],
  ['runner asked', 'runner down'],
  ['gateway asked', 'gateway down'],
]

test('the listener goes first, then who calls the runner, together, then the runner, and the ground last', async (t) => {
  const { seen, children } = await start(t, 'serves.mjs')
  await stopAll(children)
  assert.deepEqual(order(seen), expected)
})

test('processes that hear nothing are ended within the time of the whole, in the same order', async (t) => {
  const { seen, children } = await start(t, 'hangs.mjs')
  await stopAll(children, { most: 600 })
  assert.deepEqual(order(seen), expected)
})

test('each is given its own time at most, and the ground keeps some of the whole for itself', async () => {
  const given: string[] = []
  let now = 0
  const stop = (name: (typeof names)[number]) => async (most: number) => {
    given.push(`${name} ${most}`)
    now += Math.min(most, 11_000)
  }
  const children = (['gateway', 'runner', 'control-plane'] as const).map((name) => ({ name, stop: stop(name) }))
  await stopAll(children, { clock: () => now })
  assert.deepEqual(given, ['control-plane 22000', 'runner 15000', 'gateway 6000'])
  assert.ok(now <= 28_000)
})
