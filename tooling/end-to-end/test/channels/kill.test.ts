// Channels, runner and gateway are killed while messages come and answers go: each is heard once, and no answer is lost.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { applyChange } from '../../src/changes.ts'
import { allMessages } from '../../src/chat.ts'
import { sendWebhook, startReceiver, webhookSecret } from '../../src/channels/webhook.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [count, threads, kills] = isFull ? [1_000, 50, 45] : [36, 6, 3]
const patience = isFull ? 900_000 : 90_000
const secret = webhookSecret('k')

let unit: Unit
let receiver: Awaited<ReturnType<typeof startReceiver>>

before(async () => {
  receiver = await startReceiver(secret)
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: { WEBHOOK_SIGNING_SECRET: secret } })
  const place = { channel: 'webhook', address: receiver.url('k'), engage: 'all', session: 'thread' }
  await applyChange(unit, { kind: 'wiring', after: place })
})
after(async () => {
  await unit.dispose()
  await receiver.close()
})

/** As a sender does: again and again under the same id, until it is taken. Each is sent twice in any case. */
const send = async (index: number): Promise<void> => {
  const said = { address: receiver.url('k'), user: 'u', text: `m${index}`, thread: `t${index % threads}` }
  const sent = (): Promise<boolean> => sendWebhook(unit, said, { secret, id: `id-${index}` }).then(({ status }) => status === 202)
  await waitFor(`m${index} to be taken`, patience, sent)
  await waitFor(`m${index} to be taken again`, patience, sent)
}

const killAll = async (): Promise<void> => {
  const victims = ['channels', 'runner', 'gateway']
  for (let index = 0; index < kills; index += 1) {
    await killAndWait(unit, victims[index % victims.length] ?? 'channels', patience)
    if (isFull) await pause(200)
  }
}

test(`${count} messages come in once each, and every answer arrives, in the order of its thread`, { timeout: patience * 2 }, async (t) => {
  const lanes = Array.from({ length: threads }, async (_, lane) => {
    for (let index = lane; index < count; index += threads) await send(index)
  })
  await Promise.all([...lanes, killAll()])
  const wanted = Array.from({ length: count }, (_, index) => `echo: m${index}`)
  await waitFor('every answer', patience, async () => {
    const heard = new Set(receiver.heard.map(({ text }) => text))
    return wanted.every((text) => heard.has(text))
  })
  const all = await allMessages(unit)
  assert.deepEqual(
    all
      .filter(({ from }) => from === 'user')
      .map(({ text }) => text)
      .toSorted(),
    wanted.map((text) => text.slice('echo: '.length)).toSorted(),
  )
  assert.equal(receiver.state.forged, 0)
  assert.deepEqual((await unit.client.channels.list()).letters, [])
  for (let thread = 0; thread < threads; thread += 1) {
    const own = receiver.heard.filter((one) => one.thread === `t${thread}`)
    const first = [...new Map(own.map((one) => [one.id, one])).values()].map(({ text }) => text)
    assert.equal(new Set(first).size, first.length, 'an answer went out under two ids')
    const order = first.map((text) => Number(text.slice('echo: m'.length)))
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      `thread ${thread}`,
    )
  }
  const repeated = receiver.heard.length - count
  t.diagnostic(`${count} messages, ${kills} kills, ${repeated} answers sent again`)
})
