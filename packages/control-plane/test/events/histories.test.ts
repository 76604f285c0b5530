// Random histories of writes, readers and a gateway that comes and goes: every reader is told every line once, in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { createEvents, type Events } from '../../src/events/events.ts'
import { createJournal, follow } from '../fixtures/journal.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const runs = process.env['GATEHOUSE_PROFILE'] === 'full' ? 2_000 : 60
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('write' as const), count: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('open' as const), back: fc.integer({ min: 0, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('lose' as const, 'find' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('turn' as const), count: fc.integer({ min: 1, max: 5 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The numbers that each reader was told, and those that it should have been. */
const play = async (steps: readonly Step[], create: () => Events, patience: number) => {
  const events = create()
  const journal = createJournal(events)
  const { request } = createTestUnit({ events, answers: journal.answers })
  const readers: { first: number; reader: ReturnType<typeof follow> }[] = []
  for (const taken of steps) {
    if (taken.act === 'write') journal.write(taken.count)
    if (taken.act === 'lose') journal.lose()
    if (taken.act === 'find') journal.find()
    if (taken.act === 'turn') for (let i = 0; i < taken.count; i += 1) await turn()
    if (taken.act === 'open') {
      const after = Math.max(0, journal.lines.length - taken.back)
      readers.push({ first: after + 1, reader: follow((await request('GET', `/v1/events?after=${after}`)).body) })
    }
  }
  journal.find()
  const last = journal.lines.length
  const settled = (): boolean => readers.every(({ first, reader }) => first > last || reader.lines().at(-1) === last)
  await waitFor(settled, { what: 'the last line at every reader', deadline: patience }).catch(() => undefined)
  events.close()
  const wanted = readers.map(({ first }) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i))
  return { told: readers.map(({ reader }) => reader.lines()), wanted }
}

const create = (): Events => createEvents({ mostOfOne: 25 })

const check = (make: () => Events, numRuns: number, patience = 60_000) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const { told, wanted } = await play(steps, make, patience)
      assert.deepEqual(told, wanted)
    }),
    { numRuns, endOnFailure: true },
  )

test('tells every reader every line once and in order, whatever comes between', async () => {
  await check(create, runs)
})

test('catches streams that do not fetch what they missed while the gateway was away', async () => {
  const forgetful = (): Events => ({ ...create(), resume: () => undefined })
  await assert.rejects(check(forgetful, 200, 3_000))
})
