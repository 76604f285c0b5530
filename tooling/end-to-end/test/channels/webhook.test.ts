// The signed webhook on a whole unit: heard once, answered at the address of its wiring, and everything else refused.
// Profile: rest. Repeats approve.test.ts for another channel; packages/channels tests its wire format.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyChange } from '../../src/changes.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { placesWith, secretsLeft, toldTo } from '../../src/channels/secrets.ts'
import { type Said, type Sending, sendWebhook, startReceiver, webhookSecret } from '../../src/channels/webhook.ts'
import { request } from '../../src/http.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const secret = webhookSecret('a')
const second = webhookSecret('b')
const patience = 60_000

let unit: Unit
let receiver: Awaited<ReturnType<typeof startReceiver>>

before(async () => {
  receiver = await startReceiver(secret)
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'],
    env: { WEBHOOK_SIGNING_SECRET: `${secret} ${second}` },
  })
  await wire('ops')
})
after(async () => {
  await unit.dispose()
  await receiver.close()
})

const wire = (name: string, more: object = {}): Promise<string> =>
  applyChange(unit, {
    kind: 'wiring',
    after: { channel: 'webhook', address: receiver.url(name), engage: 'all', session: 'thread', ...more },
  })

const say = (said: Partial<Said> & { readonly name?: string }, sending: Partial<Sending> = {}) => {
  const { name = 'ops', ...more } = said
  return sendWebhook(unit, { address: receiver.url(name), user: 'monitor', text: 'hello', ...more }, { secret, ...sending })
}

const heard = (text: string, times = 1) =>
  waitFor(`to hear ${text}`, patience, async () => {
    const found = receiver.heard.filter((one) => one.text === text)
    return found.length >= times ? found : undefined
  })

const counted = (outcome: string): Promise<number> => countedBy(unit, 'webhook', outcome)

test('a signed message reaches the agent, and the answer comes back signed, in its thread', async () => {
  const { status, json } = await say({ text: 'first', thread: 't-1' }, { id: 'id-1' })
  assert.deepEqual([status, json], [202, { status: 'accepted' }])
  const [answer] = await heard('echo: first')
  assert.deepEqual([answer?.thread, answer?.inReplyTo], ['t-1', 'id-1'])
  assert.equal(receiver.state.forged, 0)
})

test('the same id is one message, however often and with whatever secret of the unit it comes', async () => {
  for (const key of [secret, second, secret]) assert.equal((await say({ text: 'once' }, { id: 'id-once', secret: key })).status, 202)
  await say({ text: 'after once' })
  await heard('echo: after once')
  const { messages } = await unit.client.chat.messages('dev-agent')
  const taken = messages.filter(({ text }) => text === 'once')
  assert.deepEqual(
    taken.map(({ author }) => author),
    ['monitor'],
  )
  assert.equal(receiver.heard.filter(({ text }) => text === 'echo: once').length, 1)
})

test('what is forged, old, of tomorrow or altered is refused, and says so to nobody but its sender', async () => {
  const before = (await unit.client.chat.messages('dev-agent')).messages.length
  const minute = 60_000
  const attempts: [string, ReturnType<typeof say>][] = [
    ['another secret', say({}, { secret: webhookSecret('x') })],
    ['six minutes old', say({}, { at: new Date(Date.now() - 6 * minute) })],
    ['six minutes ahead', say({}, { at: new Date(Date.now() + 6 * minute) })],
    ['altered', say({}, { body: '{"type":"message"}' })],
    ['unsigned', request(`${unit.address}/v1/webhooks`, { method: 'POST', body: '{}' })],
  ]
  for (const [name, attempt] of attempts) {
    const { status, json } = await attempt
    assert.deepEqual([status, json?.['code']], [401, 'unauthorized'], name)
    assert.match(String(json?.['detail']), /signature/)
  }
  assert.equal((await unit.client.chat.messages('dev-agent')).messages.length, before)
})

test('who guesses signatures is slowed, and a genuine one passes beside it', async () => {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 12; attempt += 1) statuses.push((await say({}, { secret: webhookSecret('y') })).status)
  assert.equal(statuses.at(-1), 429)
  assert.equal((await say({ text: 'beside' })).status, 202)
  await heard('echo: beside')
})

test('a stranger, an address that leads nowhere and what is not meant for the agent are dropped without a word, and counted', async () => {
  await wire('members')
  await applyChange(unit, { kind: 'agent_create', after: { id: 'closed', name: 'closed', agent: 'mock' }, group: 'closed' })
  const closed = { channel: 'webhook', address: receiver.url('closed'), engage: 'pattern', pattern: '^deploy', session: 'shared' }
  await applyChange(unit, { kind: 'wiring', after: closed, group: 'closed' })
  await applyChange(unit, { kind: 'permissions', after: { members: [{ channel: 'webhook', user: 'ann' }] }, group: 'closed' })
  const drops: [string, Partial<Said> & { name: string }][] = [
    ['not_member', { name: 'closed', user: 'mallory', text: 'deploy everything' }],
    ['not_routed', { name: 'nowhere' }],
    ['not_addressed', { name: 'closed', user: 'ann', text: 'good morning' }],
  ]
  for (const [outcome, said] of drops) {
    const before = await counted(outcome)
    const { status, json } = await say(said)
    assert.deepEqual([status, json], [202, { status: 'accepted' }], outcome)
    assert.equal(await counted(outcome), before + 1)
  }
  await say({ name: 'closed', user: 'ann', text: 'deploy it' })
  await heard('echo: deploy it')
  assert.deepEqual(
    (await unit.client.chat.messages('closed')).messages.filter(({ from }) => from === 'user').map(({ text }) => text),
    ['deploy it'],
  )
})

test('a signed but malformed webhook is refused with the position of the error', async () => {
  const { status, json } = await say({ text: '' })
  assert.deepEqual([status, json?.['code']], [422, 'invalid'])
  assert.match(String(json?.['detail']), /data\/text/)
})

test('a receiver that is down is asked again, with the same id, until it takes the answer', async () => {
  receiver.state.status = 503
  await say({ text: 'persist' })
  await waitFor('an attempt to fail', patience, async () => {
    const { text } = await request(`${unit.address}/metrics`)
    return /deliveries_total\{[^}]*outcome="retried"[^}]*\} [1-9]/.test(text)
  })
  receiver.state.status = 200
  await heard('echo: persist')
})

test('under a freeze messages wait, and answers too', async () => {
  await say({ text: 'warm', thread: 'ice' })
  await heard('echo: warm')
  await unit.client.freezes.freeze({ reason: 'a test' })
  await say({ text: 'cold', thread: 'ice' })
  await unit.client.freezes.unfreeze({ reason: 'a test' })
  await heard('echo: cold')
})

test('an answer to an address that was taken from the group becomes a dead letter, which people see', async () => {
  await wire('short')
  receiver.state.status = 503
  await say({ name: 'short', text: 'farewell' })
  await waitFor('it to wait', patience, async () => ((await unit.client.channels.list()).items[0]?.waiting ?? 0) > 0)
  await applyChange(unit, { kind: 'wiring', after: { remove: { channel: 'webhook', address: receiver.url('short') } } })
  const list = await waitFor('the dead letter', patience, async () => {
    const found = await unit.client.channels.list()
    return found.letters.length > 0 ? found : undefined
  })
  receiver.state.status = 200
  assert.deepEqual(
    list.letters.map(({ channel, agentGroupID, reason }) => [channel, agentGroupID, reason]),
    [['webhook', 'dev-agent', 'its address is no longer routed to this group']],
  )
  assert.deepEqual(
    list.items.map(({ name, state, dead, waiting }) => [name, state, dead, waiting]),
    [['webhook', 'up', 1, 0]],
  )
  assert.equal(receiver.heard.filter(({ text }) => text === 'echo: farewell').length, 0)
})

test('the secrets are in no answer, file, log line, environment and argument of the unit, but where they were given', async () => {
  const secrets = [secret, second].map((text) => text.slice('whsec_'.length))
  assert.deepEqual(await secretsLeft(unit, secrets), [])
  // The same look finds them where they are.
  assert.deepEqual(placesWith(await toldTo(unit.pid), secrets), [`/proc/${unit.pid}/environ`])
})
