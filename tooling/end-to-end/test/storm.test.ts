// Messages while whatever carries them is killed at random: each is answered once and in order, nothing is left behind, and a unit beside
// it notices nothing. Under the full profile at least 500 messages and 1,000 kills, as far as they fit 25 minutes, else 20 and 8. Prints
// its seed.
// Profile: rest. Random kills under load; kill.test.ts kills each process once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed, seeded } from '@gatehouse/testkit/random'
import { webhookSecret } from '../src/channels/webhook.ts'
import { allMessages, say, sendSurely } from '../src/chat.ts'
import { Killer } from '../src/killer.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { marksOf } from '../src/traces.ts'
import { waitFor } from '../src/wait-for.ts'
import { leftOf } from './fixtures/beside/stops.ts'
import { explainUnanswered } from './fixtures/unanswered.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [messages, kills] = isFull ? [500, 1_000] : [20, 8]
const longest = 25 * 60_000
const flags = ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off']
/** So that the processes of models and of channels are there too. */
const env = { SERVICE_MODEL_BASE_URL: 'http://127.0.0.1:9/v1', WEBHOOK_SIGNING_SECRET: webhookSecret('s') }
const patience = 60_000
const group = 'dev-agent'

const victims = ['gateway', 'runner', 'broker', 'control-plane', 'model-proxy', 'channels', 'sandbox']

/** A queue has an end, and what is asked here is another thing. */
const roomOf = (unit: Unit): Promise<boolean> =>
  waitFor('room for a message', patience * 2, async () => {
    const { items } = await unit.client.sessions.list()
    return items.every(({ waiting }) => waiting < 200)
  })

/** Those that stay: trial sandboxes, which prove the seal after a start, come and go beside them. */
const processesOf = async (unit: Unit) => (await unit.client.status()).processes.map(({ name, pid }) => ({ name, pid }))

test('messages are answered once and in order while any process is killed', { timeout: isFull ? 3_600_000 : 1_200_000 }, async (t) => {
  t.diagnostic(`GATEHOUSE_SEED=${seed}`)
  const unit = await startUnit({ flags, env })
  t.after(unit.dispose)
  const beside = await startUnit({ flags })
  t.after(beside.dispose)
  assert.equal(await say(beside, 'beside'), 'echo: beside')
  const untouched = await waitFor('the neighbour to rest', patience, async () => {
    const { items } = await beside.client.sessions.list()
    return items.every(({ waiting }) => waiting === 0) && items
  })
  const running = await processesOf(beside)
  assert.equal(await say(unit, 'first'), 'echo: first')

  const killer = new Killer({ unit, victims, random: seeded(seed), patience })
  const sent: string[] = []
  const over = new AbortController()
  const sending = (async () => {
    for (let index = 0; index < messages || !over.signal.aborted; index += 1) {
      if (isFull) await roomOf(unit)
      sent.push((await sendSurely(unit, `message ${index}`)).messageId)
    }
  })()
  const storm = killer.killUntil({ most: kills, until: Date.now() + longest, together: isFull ? 2 : 1 }).finally(() => over.abort())
  await Promise.all([sending, storm])
  const counts = [...killer.killed].map(([name, times]) => `${name} ${times}`).join(', ')
  t.diagnostic(`${killer.count} of ${kills} kills beside ${sent.length} messages: ${counts}`)
  t.diagnostic(`p95 of the time until a process was ready again: ${killer.p95.toFixed(0)} ms`)

  // All sandboxes of a host together have the weight of one busy process: at load 50 an answer takes minutes.
  const said = await waitFor('every message to be answered', patience * 10, async () => {
    await killer.wake()
    const all = await allMessages(unit, group)
    const answered = new Set(all.flatMap(({ inReplyTo, from }) => (from === 'agent' && inReplyTo !== undefined ? [inReplyTo] : [])))
    return sent.every((id) => answered.has(id as never)) ? all : undefined
  }).catch(async (error: unknown) => {
    t.diagnostic(await explainUnanswered(unit, { group, sent }))
    throw error
  })
  const ours = said.filter(({ id, inReplyTo }) => sent.includes(id) || sent.includes(inReplyTo ?? ''))
  assert.deepEqual(
    ours.filter(({ from }) => from === 'user').map(({ id }) => id),
    sent,
  )
  assert.deepEqual(
    ours.filter(({ from }) => from === 'agent').map(({ inReplyTo, text }) => [inReplyTo, text]),
    sent.map((id, index) => [id, `echo: message ${index}`]),
  )
  assert.deepEqual(
    said.map(({ seq }) => seq),
    said.map((_, index) => index + 1),
  )

  assert.deepEqual((await beside.client.sessions.list()).items, untouched)
  assert.deepEqual(await processesOf(beside), running)
  const marks = await marksOf(unit)
  await unit.stop()
  await waitFor('nothing of the unit to be left', patience, async () => {
    assert.deepEqual(await leftOf(marks, isFull), [])
    return true
  })
  assert.equal(await say(beside, 'still here'), 'echo: still here')
})
