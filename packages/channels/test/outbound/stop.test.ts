// A stop counts for what is under way: a long message goes out in many parts, and what is still to be said of it is held back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ConversationID, type Delivery, type gatewayChannels, limits, MessageID, type Result, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Channel } from '../../src/channel.ts'
import { deliver } from '../../src/outbound/deliver.ts'
import { Attempts, Senders } from '../../src/outbound/senders.ts'
import { Pacer } from '../../src/state/pacer.ts'

type Verdict = Result<typeof gatewayChannels, 'maySpeak'>['verdict']

const delivery: Delivery = {
  session: v.parse(SessionID, `ses_${'a'.repeat(13)}`),
  agentGroupID: 'a' as Delivery['agentGroupID'],
  conversationId: v.parse(ConversationID, 'webhook:a'),
  channel: 'webhook',
  id: v.parse(MessageID, 'r-1'),
  seq: 1,
  text: 'first part\nsecond one\nthird part',
  files: [],
  at: new Date().toISOString(),
  parts: 0,
  reference: { address: 'a', own: {} },
}

interface World {
  readonly say: () => Verdict
  readonly senders?: Senders
  readonly more?: Partial<Delivery>
}

/** What went out, and what came of it, where the gateway says this of each part. */
const sendIn = async ({ say, senders = new Senders(1), more = {} }: World) => {
  const sent: string[] = []
  const noted: (number | undefined)[] = []
  const pace = { perSecond: 10_000, burst: 1_000 }
  const channel: Channel = {
    name: 'webhook',
    can: { threads: true, ids: true, length: 12, files: { size: 10, together: true }, pace, placePace: pace },
    receive: () => Promise.resolve(),
    send: ({ text }) => Promise.resolve((sent.push(text), 'sent')),
    verify: () => Promise.resolve({}),
    close: () => Promise.resolve(),
  }
  const result = await deliver(
    {
      gateway: { maySpeak: () => Promise.resolve({ verdict: say() }) },
      runner: { delivered: ({ parts }) => Promise.resolve((noted.push(parts), {})), sentFile: () => Promise.resolve({ data: 'YWJj' }) },
      channels: new Map([['webhook', channel]]),
      pacer: new Pacer(),
      senders,
      tries: new Attempts(),
      signal: AbortSignal.timeout(30_000),
    },
    { ...delivery, ...more },
  )
  return { sent, noted, result: result.kind }
}

/** Said of each part in turn. */
const sendUnder = (...verdicts: Verdict[]) => sendIn({ say: () => verdicts.shift() ?? 'allowed' })

test('a freeze between two parts holds back the second one', async () => {
  assert.deepEqual(await sendUnder('allowed', 'frozen'), { sent: ['first part'], noted: [1], result: 'frozen' })
})

test('an address that is taken away between two parts hears no more', async () => {
  assert.deepEqual(await sendUnder('allowed', 'allowed', 'not_routed'), {
    sent: ['first part', 'second one'],
    noted: [1, 2],
    result: 'dead',
  })
})

test('without a stop all of it goes out', async () => {
  assert.deepEqual(await sendUnder(), { sent: ['first part', 'second one', 'third part'], noted: [1, 2], result: 'delivered' })
})

test('a file that waited for its turn is held back by a freeze that came meanwhile', async () => {
  let verdict: Verdict = 'allowed'
  const senders = new Senders(1)
  const free = Promise.withResolvers<void>()
  const other = senders.during(AbortSignal.timeout(30_000), () => free.promise)
  const more = { text: 'one', files: [{ name: 'a', path: '/workspace/a', size: 3 }] }
  const sending = sendIn({ say: () => verdict, senders, more })
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  verdict = 'frozen'
  free.resolve()
  await other
  assert.deepEqual(await sending, { sent: [], noted: [], result: 'frozen' })
})

test('a message with files waits for its turn so long and no longer: its lane is wanted by others', async (t) => {
  const bounds: { channelSendTime: number } = limits
  t.mock.property(bounds, 'channelSendTime', 20)
  const senders = new Senders(1)
  const free = Promise.withResolvers<void>()
  const other = senders.during(AbortSignal.timeout(30_000), () => free.promise)
  // What waits for its time alone keeps no process alive.
  const alive = setInterval(() => undefined, 1_000)
  t.after(() => clearInterval(alive))
  const more = { text: 'one', files: [{ name: 'a', path: '/workspace/a', size: 3 }] }
  await assert.rejects(sendIn({ say: () => 'allowed', senders, more }), { name: 'TimeoutError' })
  free.resolve()
  await other
  assert.equal((await sendIn({ say: () => 'allowed', senders, more })).result, 'delivered')
})
