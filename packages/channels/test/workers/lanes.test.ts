// Lanes: one a key, a rest after each failure that grows, and no rest shorter than somebody else asked for. The clock is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { KeyedWorkers } from '../../src/workers/keyed-workers.ts'

const first = 1_000

/** `waiting`: keys that a look finds; each attempt at one is noted, and fails where `fails` says so, with the silence that it gives. */
const start = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // Without jitter: each pause is as long as it may be.
  t.mock.method(Math, 'random', () => 1)
  const [waiting, tried] = [new Set<string>(), [] as string[]]
  const world = { isWhole: true, looks: 0, fails: (_: string): number | undefined => 0 }
  const work = async (key: string): Promise<void> => {
    tried.push(key)
    await turn()
    const silence = world.fails(key)
    if (silence !== undefined) return lanes.retry(key, silence)
    lanes.settle(key)
    waiting.delete(key)
  }
  const look = async (): Promise<boolean> => {
    world.looks += 1
    for (const key of waiting) if (lanes.isFree(key)) lanes.open(key, () => work(key), lanes.wake.bind(lanes))
    return world.isWhole
  }
  const lanes = new KeyedWorkers<string>(look, { retryFirst: first, retryMost: 8 * first })
  t.after(() => lanes.stop())
  /** Lets everything happen that waits for no timer. */
  const settled = async (): Promise<void> => {
    for (let round = 0; round < 10; round += 1) await turn()
  }
  const after = async (milliseconds: number): Promise<number> => {
    const before = tried.length
    t.mock.timers.tick(milliseconds)
    await settled()
    return tried.length - before
  }
  const begin = async (...keys: string[]): Promise<void> => {
    for (const key of keys) waiting.add(key)
    lanes.wake()
    await settled()
  }
  return { lanes, world, waiting, tried, after, begin, settled }
}

test('what fails is tried again after a pause that doubles up to its most, while others go on', async (t) => {
  const { world, tried, after, begin } = start(t)
  world.fails = (key) => (key === 'bad' ? 0 : undefined)
  await begin('bad', 'good')
  assert.deepEqual(tried, ['bad', 'good'])
  for (const pause of [1, 2, 4, 8, 8]) {
    assert.equal(await after(pause * first - 1), 0, `before ${pause}`)
    assert.equal(await after(1), 1, `at ${pause}`)
  }
  assert.equal(tried.filter((key) => key === 'good').length, 1)
})

test('after a success the next failure rests as the first one did', async (t) => {
  const { world, after, begin } = start(t)
  await begin('a')
  assert.equal(await after(first), 1)
  world.fails = () => undefined
  assert.equal(await after(2 * first), 1)
  world.fails = () => 0
  await begin('a')
  assert.equal(await after(first), 1)
})

test('what rests is not opened by a look, and is by a wake for all', async (t) => {
  const { lanes, tried, begin, settled } = start(t)
  await begin('a')
  lanes.wake()
  await settled()
  assert.deepEqual([tried.length, lanes.taken()], [1, ['a']])
  lanes.wakeAll()
  await settled()
  assert.equal(tried.length, 2)
})

test('a pause that somebody else asked for is kept to its end, whatever wakes all meanwhile, and not beyond', async (t) => {
  const { lanes, world, tried, after, begin, settled } = start(t)
  world.fails = () => 5 * first
  await begin('a')
  for (const _ of [1, 2]) {
    lanes.wakeAll()
    await settled()
    assert.equal(await after(2 * first), 0)
  }
  assert.equal(tried.length, 1)
  assert.equal(await after(first), 1)
  // Its own pauses have grown beyond that of the other: woken, it waits for the other's alone.
  for (const pause of [5, 5, 8]) assert.equal(await after(pause * first), 1, String(pause))
  lanes.wakeAll()
  assert.equal(await after(5 * first - 1), 0)
  assert.equal(await after(1), 1)
})

test('failures of what is not there any more are forgotten; those of what was not seen are not', async (t) => {
  const { world, waiting, after, begin } = start(t)
  const failThrice = async (): Promise<void> => {
    await begin('a')
    for (const pause of [1, 2]) assert.equal(await after(pause * first), 1)
  }
  await failThrice()
  waiting.clear()
  assert.equal(await after(4 * first), 0)
  await failThrice()
  waiting.clear()
  world.isWhole = false
  assert.equal(await after(4 * first), 0)
  await begin('a')
  assert.equal(await after(4 * first), 0)
  assert.equal(await after(4 * first), 1)
})

test('a wake during a look is one more look, and a stop ends rests and opens nothing more', async (t) => {
  const { lanes, world, after, begin, settled, tried } = start(t)
  lanes.wake()
  lanes.wake()
  lanes.wake()
  await settled()
  assert.equal(world.looks, 2)
  await begin('a')
  await lanes.stop()
  lanes.wake()
  lanes.wakeAfter(1)
  assert.equal(await after(60 * first), 0)
  assert.equal(tried.length, 1)
})
