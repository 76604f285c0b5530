// The whole flow in one channel: an agent is refused a tool, asks, a card appears, a person approves it there, the tool works.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyChange } from '../../src/changes.ts'
import { mintFor, submitMemory, submitPersona } from '../../src/channels/approvals.ts'
import { type HeardCard, type Said, sendWebhook, startReceiver, webhookSecret } from '../../src/channels/webhook.ts'
import { request } from '../../src/http.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [rounds, patience] = isFull ? [60, 900_000] : [4, 90_000]
const secret = webhookSecret('a')
const publicUrl = 'https://gatehouse.example.org'

let unit: Unit
let receiver: Awaited<ReturnType<typeof startReceiver>>

const mint = (name: string, role: 'approver' | 'requester', users: readonly string[] = [name]): Promise<string> =>
  mintFor(unit, { name, role, channel: 'webhook', users })

before(async () => {
  receiver = await startReceiver(secret)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--change-ttl', isFull ? '2m' : '1h'],
    env: { WEBHOOK_SIGNING_SECRET: secret, SERVICE_PUBLIC_URL: publicUrl },
  })
  const place = { channel: 'webhook', address: receiver.url('ops'), engage: 'all', session: 'thread' }
  await applyChange(unit, { kind: 'wiring', after: place })
  await mint('kim', 'approver')
  await mint('ann', 'requester')
  const members = ['kim', 'ann', 'monitor', 'nobody'].map((user) => ({ channel: 'webhook', user }))
  await applyChange(unit, { kind: 'permissions', after: { members } })
})
after(async () => {
  await unit.dispose()
  await receiver.close()
})

const say = async (said: Partial<Said>, id?: string): Promise<number> => {
  const whole = { address: receiver.url('ops'), user: 'monitor', text: 'hello', ...said }
  return (await sendWebhook(unit, whole, { secret, ...(id !== undefined && { id }) })).status
}

const heard = (part: string, thread?: string) =>
  waitFor(`to hear ${part}`, patience, () => receiver.heard.find((one) => one.text.includes(part) && one.thread === thread))

const cardOf = (id: string, fits: (one: HeardCard) => boolean = () => true): Promise<HeardCard> =>
  waitFor(`a card of ${id}`, patience, () => receiver.cards.findLast((one) => one.card.changeID === id && fits(one)))

const submit = (text: string): Promise<string> => submitPersona(unit, text)

const state = async (id: string): Promise<string> => (await unit.client.changes.show(id)).state

test('message in, tool refused, request, card, approved by a reply, tool works, answer in the thread', async () => {
  const thread = 'incident-7'
  await say({ text: 'tool:sample__echo {"text":"early"}', thread })
  await heard('refused', thread)
  await say({ text: 'request:mcp_access {"server":"sample","tools":["echo"]}', thread })
  const { text: asked } = await heard('requested mcp_access', thread)
  const id = /chg_\S+/.exec(asked)?.[0] ?? ''
  const posted = await cardOf(id)
  assert.deepEqual([posted.act, posted.thread, posted.card.risk, posted.card.state], ['posted', thread, 'medium', 'held'])
  assert.equal(posted.card.url, `${publicUrl}/ui/changes/${id}`)
  assert.match(posted.text, /sample.*echo|echo.*sample/s)
  await say({ user: 'kim', text: posted.answers?.approve ?? '', thread })
  const updated = await cardOf(id, ({ act, card }) => act === 'updated' && card.state === 'applied')
  assert.equal(updated.thread, thread)
  assert.match(updated.text, /approved and applied by kim \(webhook kim\)/)
  assert.equal(updated.answers, undefined)
  await waitFor('the tool to work', patience, async () => {
    await say({ text: 'tool:sample__echo {"text":"it works"}', thread })
    return receiver.heard.some((one) => one.text === 'it works' && one.thread === thread)
  })
  const { decisions } = await unit.client.changes.show(id)
  assert.deepEqual(
    decisions.map(({ principal, via }) => [principal, via]),
    [['kim', { channel: 'webhook', user: 'kim' }]],
  )
  // What decided was for the gate alone: no agent read it.
  assert.equal(receiver.heard.filter(({ text }) => text.startsWith('echo: approve')).length, 0)
})

test('nobody else decides, strangers hear nothing, and who is known is told why', async () => {
  const id = await submit('refusals')
  const { answers, card } = await cardOf(id)
  const approve = answers?.approve ?? ''
  const told = () => receiver.heard.filter(({ text }) => text.startsWith('Not decided'))
  const before = told().length
  assert.equal(await say({ user: 'mallory', text: approve }), 202)
  const refusals: [string, string, RegExp][] = [
    ['nobody', approve, /Not decided: .*token/],
    ['ann', approve, /Not decided: decide needs the role approver or higher, and this token has the role requester/],
    ['kim', `approve ${card.short} ${'f'.repeat(16)}`, /Not decided: .* changed after it was shown/],
    ['kim', `approve ${card.short}`, /Not decided: at least 16 digits of the digest/],
    ['kim', `reject chg_20200101000000.000000000 ${'0'.repeat(16)}`, /Not decided: change chg_\S+ not found/],
  ]
  for (const [user, text, expected] of refusals) {
    const answered = told().length
    await say({ user, text })
    await waitFor(`${user} to be answered`, patience, () => told().length > answered)
    assert.match(told().at(-1)?.text ?? '', expected)
  }
  assert.equal(
    (await sendWebhook(unit, { address: receiver.url('ops'), user: 'kim', text: approve }, { secret: webhookSecret('x') })).status,
    401,
  )
  assert.equal(told().length, before + refusals.length)
  assert.equal(await state(id), 'held')
  await say({ user: 'kim', text: `${answers?.reject ?? ''} not today` })
  const { text } = await cardOf(id, (one) => one.card.state === 'rejected')
  assert.match(text, /was rejected by kim.*not today/)
})

test('a high risk has a card without answers, and a stale one gets a new card', async () => {
  const highID = await submitMemory(unit)
  const byHand = await cardOf(highID)
  assert.deepEqual([byHand.card.risk, byHand.answers], ['high', undefined])
  await say({ user: 'kim', text: `approve ${byHand.card.short} ${byHand.card.digest}` })
  await waitFor('the refusal', patience, () => receiver.heard.find(({ text }) => /Not decided: .* is high risk/.test(text)))
  assert.equal(await state(highID), 'held')

  const id = await submit('stale')
  const first = await cardOf(id)
  await applyChange(unit, { kind: 'persona', after: { instructions: 'came between' } })
  await say({ user: 'kim', text: first.answers?.approve ?? '' })
  const second = await cardOf(id, ({ card }) => card.digest !== first.card.digest)
  assert.deepEqual([second.act, second.card.state], ['updated', 'held'])
  await say({ user: 'kim', text: second.answers?.approve ?? '' })
  await cardOf(id, ({ card }) => card.state === 'applied')
})

test('a revoked token decides nothing more, and metrics say what became of each word', async () => {
  await mint('pat', 'approver', ['monitor'])
  const id = await submit('revoked')
  const { answers } = await cardOf(id)
  await unit.client.tokens.revoke('pat')
  await say({ user: 'monitor', text: answers?.approve ?? '', thread: 'revoked' })
  await heard('Not decided', 'revoked')
  assert.equal(await state(id), 'held')
  const { text } = await request(`${unit.address}/metrics`)
  for (const outcome of ['approved', 'rejected', 'refused', 'ignored']) {
    assert.match(text, new RegExp(`card_decisions_total\\{[^}]*outcome="${outcome}"[^}]*\\} [1-9]`), outcome)
  }
  assert.match(text, /cards_total\{[^}]*outcome="posted"[^}]*\} [1-9]/)
})

/** As a sender does: the same message again and again, until it is taken, and once more. */
const insist = async (text: string, id: string): Promise<void> => {
  for (const time of [1, 2])
    await waitFor(`${id} to be taken (${time})`, patience, async () => (await say({ user: 'kim', text }, id).catch(() => 0)) === 202)
}

test(
  `${rounds} decisions while channels and gateway are killed: each once, and each card comes to its end`,
  { timeout: patience * 2 },
  async () => {
    // What kills channels finds a card that is seen, and not noted yet.
    receiver.state.slow = 300
    for (let round = 0; round < rounds; round += 1) {
      const id = await submit(`kill ${round}`)
      const { answers } = await cardOf(id)
      const word = round % 2 === 0 ? answers?.approve : answers?.reject
      const killed = killAndWait(unit, round % 4 < 2 ? 'channels' : 'gateway', patience)
      await insist(word ?? '', `decision-${round}`)
      await killed
      const end = round % 2 === 0 ? 'applied' : 'rejected'
      await cardOf(id, ({ card }) => card.state === end)
      const { decisions } = await unit.client.changes.show(id)
      assert.equal(decisions.length, 1, id)
    }
    receiver.state.slow = 0
  },
)

if (isFull) {
  test('who waits too long is reminded twice, each once, and the card says that it expired', { timeout: patience }, async () => {
    const id = await submit('slow')
    await cardOf(id, ({ card }) => card.state === 'expired')
    const reminders = receiver.cards.filter(({ card, act }) => card.changeID === id && act === 'reminded')
    assert.equal(new Set(reminders.map((one) => one.id)).size, 2)
  })
}
