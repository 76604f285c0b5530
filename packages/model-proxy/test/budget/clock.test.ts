// The day of a budget never begins a second time: not when the clock is set back, and not in a process that starts after that.
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
