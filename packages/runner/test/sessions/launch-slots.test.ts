// Places for launches: so many at once, groups in turn, and nobody keeps a place for ever. Behind real walls, and with the limit gone.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { AgentGroupID } from '@gatehouse/contracts'
import type { Driver } from '@gatehouse/engine'
import { waitFor } from '@gatehouse/kernel'
import { LaunchSlots } from '../../src/state/launch-slots.ts'
import { lacking, openSealed } from '../fixtures/sealed.ts'
import type { Unit } from '../fixtures/unit.ts'

const open = (places: number, keptMost = 600_000) => {
  const waiting: number[] = []
  return { waiting, slots: new LaunchSlots({ places, keptMost, onWaiting: (count) => waiting.push(count) }) }
}
const patience = 240_000
const never = new AbortController().signal
const group = (name: string) => name as AgentGroupID

describe('places for launches', () => {
  it('go to groups in turn, and within one to whoever came first', async () => {
    const { slots, waiting } = open(1)
    const first = await slots.take(group('a'), never)
    const order: string[] = []
    const taken = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
      const giveBack = await slots.take(group(name.slice(0, 1)), never)
      order.push(name)
      giveBack()
    })
    first()
    await Promise.all(taken)
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    assert.deepEqual(waiting, [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0])
  })

  it('are left by whoever does not want one any more, and given back once', async () => {
    const { slots, waiting } = open(1)
    const first = await slots.take(group('a'), never)
    const leaving = new AbortController()
    const left = slots.take(group('a'), leaving.signal)
    const second = slots.take(group('b'), never)
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    await assert.rejects(slots.take(group('a'), leaving.signal), { name: 'AbortError' })
    first()
    first()
    await second
    const third = slots.take(group('c'), never)
    assert.equal(waiting.at(-1), 1)
    ;(await second)()
    await third
    assert.equal(waiting.at(-1), 0)
  })

  it('are free again when a start takes too long', async () => {
    const { slots } = open(1, 1)
    await slots.take(group('a'), never)
    await waitFor(async () => slots.take(group('b'), AbortSignal.timeout(10_000)), { what: 'the place of one that hangs' })
  })
})

/** How many sandboxes were being started at most: launched by the driver, and not heard of. */
const startedAtOnce = async (t: TestContext, options: { count: number; launchesAtOnce: number }): Promise<number> => {
  let launched = 0
  let most = 0
  const units: Unit[] = []
  const heard = async (): Promise<number> => {
    const { values } = await units[0]!.metrics.histogram('sandbox_launch_duration_seconds').get()
    return values.filter(({ metricName }) => metricName?.endsWith('_count')).reduce((sum, { value }) => sum + value, 0)
  }
  const wrap = (driver: Driver): Driver => ({
    ...driver,
    launch: async (spec) => {
      // Others prove the seal.
      if (spec.id.startsWith('ses_')) {
        launched += 1
        most = Math.max(most, launched - (await heard()))
      }
      return driver.launch(spec)
    },
  })
  const unit = await openSealed(t, { launchesAtOnce: options.launchesAtOnce, wrap, times: { launchPlace: patience, launch: patience } })
  units.push(unit)
  await waitFor(async () => (await unit.posture()).status === 'ok', { what: 'a driver' })
  const sent = await Promise.all(Array.from({ length: options.count }, (_, index) => unit.send(`message ${index}`, `talk-${index}`)))
  for (const [index, { messageId }] of sent.entries()) assert.equal(await unit.replyTo(messageId), `echo: message ${index}`)
  return most
}

describe('many sessions at once behind real walls', { timeout: 300_000, skip: lacking }, () => {
  it('are started two at a time, and all answer', async (t) => {
    assert.equal(await startedAtOnce(t, { count: 8, launchesAtOnce: 2 }), 2)
  })

  it('are started all together where nothing limits it: what the test above would find', async (t) => {
    assert.ok((await startedAtOnce(t, { count: 8, launchesAtOnce: 1_000 })) > 2)
  })
})
