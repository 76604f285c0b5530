// The day of a budget never begins a second time: not when the clock is set back, and not in a process that starts after that. A clock that
// is right again dates the records that follow.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Bench, chatBody, createBench, group } from '../fixtures/bench.ts'
import { usual } from '../fixtures/provider.ts'

const day = 24 * 60 * 60_000
/** Just after midnight, UTC. */
const start = Date.parse('2026-03-02T00:05:00Z')

let bench: Bench
let now: number
beforeEach(async () => {
  now = start
  bench = await createBench()
  bench.gateway.provider = 'openai'
  bench.gateway.tokensPerDay = 160
  bench.provider.reply = usual
  await bench.start({ clock: () => now })
})
afterEach(() => bench.stop())

const spent = async (): Promise<number | undefined> => {
  const context = { requestId: '', traceparent: undefined, signal: new AbortController().signal }
  const { spending } = await bench.proxy.controlPlane.providers({}, context)
  return spending.find(({ agentGroupID }) => agentGroupID === group)?.tokens
}
const askFor = async (tokens: number): Promise<number> =>
  (await bench.post('/openai/v1/chat/completions', chatBody({ max_tokens: tokens }))).status

for (const [step, milliseconds] of Object.entries({ '10 minutes': 600_000, 'a day': day, 'a year': 365 * day })) {
  test(`a clock that is set back by ${step}, over midnight, gives no second budget`, async () => {
    assert.equal(await askFor(50), 200)
    assert.equal(await spent(), 18)
    now -= milliseconds
    assert.equal(await spent(), 18)
    assert.equal(await askFor(130), 403)
    now += milliseconds
    assert.equal(await spent(), 18)
    assert.equal(await askFor(130), 403)
  })

  test(`a process that starts after the clock was set back by ${step} knows what was spent`, async () => {
    assert.equal(await askFor(50), 200)
    await bench.restart({ clock: () => start - milliseconds })
    assert.equal(await spent(), 18)
    assert.equal(await askFor(130), 403)
  })
}

test('the next day begins a new budget', async () => {
  assert.equal(await askFor(50), 200)
  now += day
  assert.equal(await askFor(130), 200)
})

const lastTime = async (): Promise<string | undefined> => {
  const context = { requestId: '', traceparent: undefined, signal: new AbortController().signal }
  return (await bench.proxy.controlPlane.records({ limit: 1 }, context)).items[0]?.time
}

test('after a year ahead, records bear the right day again, also in a process that starts then, and what was spent counts on', async () => {
  assert.equal(await askFor(50), 200)
  now += 365 * day
  assert.equal(await askFor(50), 200)
  assert.equal((await lastTime())?.slice(0, 10), '2027-03-02')
  now -= 365 * day
  assert.equal(await spent(), 18)
  assert.equal(await askFor(50), 200)
  assert.equal((await lastTime())?.slice(0, 10), '2026-03-02')
  assert.equal(await spent(), 36)
  await bench.restart({ clock: () => now })
  assert.equal((await lastTime())?.slice(0, 10), '2026-03-02')
  // All that is not of an earlier day: 18 before the step, 18 under it, 18 after.
  assert.equal(await spent(), 54)
  now += day
  assert.equal(await spent(), 0)
})

test('a process that starts after a year ahead dates its records rightly', async () => {
  now += 365 * day
  assert.equal(await askFor(50), 200)
  now -= 365 * day
  await bench.restart({ clock: () => now })
  assert.equal(await askFor(50), 200)
  assert.equal((await lastTime())?.slice(0, 10), '2026-03-02')
})

test('steps within two days, in any order and with restarts, give no day a second budget', async () => {
  const steps = [day, -day, day, -2 * day + 60_000, day, day - 60_000, -day]
  const taken = new Map<string, number>()
  for (const [index, step] of steps.entries()) {
    if ((await askFor(130)) === 200) {
      const today = (await lastTime())?.slice(0, 10) ?? ''
      taken.set(today, (taken.get(today) ?? 0) + 1)
    }
    now += step
    if (index % 2 === 1) await bench.restart({ clock: () => now })
  }
  // A request of 130 tokens fits into 160 once: the first one takes 18 and leaves 142, which is less than 148.
  for (const [today, requests] of taken) assert.equal(requests, 1, today)
})
