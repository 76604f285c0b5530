// Webhooks come without a token: what can be refused is refused before their bodies are read, and counted.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { startServer, type ServerOptions } from '../fixtures/server.ts'
import { createTestUnit, type Options } from '../fixtures/unit.ts'

const signature = `v1,${'A'.repeat(43)}=`
const seconds = (later = 0): string => String(Math.floor(Date.now() / 1000) + later)
const headersOf = (more: Record<string, string | null> = {}): Record<string, string | null> => ({
  authorization: null,
  'webhook-id': 'i',
  'webhook-timestamp': seconds(),
  'webhook-signature': signature,
  ...more,
})

const refusedOf = async ({ metrics }: { readonly metrics: { json(): Promise<readonly object[]> } }, reason: string): Promise<number> => {
  const all = JSON.parse(JSON.stringify(await metrics.json())) as { name: string; values: { labels: object; value: number }[] }[]
  const found = all.find(({ name }) => name === 'gatehouse_webhooks_refused_total')
  return found?.values.find(({ labels }) => JSON.stringify(labels).includes(`"${reason}"`))?.value ?? Number.NaN
}

/** Only the head of a request is sent, and the promise of a body: what answers has read none of it. */
const askWithoutBody = async (t: TestContext, headers: Record<string, string | null>, options: ServerOptions = {}) => {
  const { port, host, unit } = await startServer(t, { boot: { webhooks: true }, ...options })
  const lines = Object.entries({ host, connection: 'close', 'content-length': '500000', ...headers })
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const head = lines.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`])).join('')
  socket.write(`POST /v1/webhooks HTTP/1.1\r\n${head}\r\n`)
  const [status = ''] = /(?<=^HTTP\/1\.1 )\d+/.exec(await text(socket)) ?? []
  return { status: Number(status), unit }
}

const cases: readonly [what: string, reason: string, status: number, headers: Record<string, string | null>, options?: ServerOptions][] = [
  ['no signature', 'malformed', 401, headersOf({ 'webhook-signature': null })],
  ['no id', 'malformed', 401, headersOf({ 'webhook-id': null })],
  ['a signature that none could be', 'malformed', 401, headersOf({ 'webhook-signature': 'v1,AAAA' })],
  ['a time six minutes ago', 'untimely', 401, headersOf({ 'webhook-timestamp': seconds(-360) })],
  ['a time in six minutes', 'untimely', 401, headersOf({ 'webhook-timestamp': seconds(360) })],
  ['a body that is too large', 'too-large', 413, headersOf({ 'content-length': '600000' })],
  ['a unit without channels', 'absent', 404, headersOf(), { boot: { channels: false } }],
  ['a unit whose channels take no webhooks', 'absent', 404, headersOf(), { boot: { webhooks: false } }],
]

for (const [what, reason, expected, headers, options] of cases) {
  test(`${what} is answered before a byte of the body has come, and counted`, async (t) => {
    const { status, unit } = await askWithoutBody(t, headers, options)
    assert.equal(status, expected)
    assert.equal(await refusedOf(unit, reason), 1)
  })
}

const rate = { perSecond: 1_000, burst: 1_000 }
const post = ({ ask }: ReturnType<typeof createTestUnit>, from = '192.0.2.1', headers = headersOf()) =>
  ask('POST', '/v1/webhooks', { headers, body: '{}', from })

test('an address that brings more than its share is refused until it is slower, and no other with it', async () => {
  let now = 0
  const unit = createTestUnit({ boot: { rate }, now: () => now })
  for (let sent = 0; sent < limits.webhooksBurst; sent += 1) assert.equal((await post(unit)).status, 202)
  const refused = await post(unit)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  assert.equal(await refusedOf(unit.unit, 'too-fast'), 1)
  assert.equal((await post(unit, '192.0.2.2')).status, 202)
  now = 1_000
  for (let sent = 0; sent < limits.webhooksPerSecond; sent += 1) assert.equal((await post(unit)).status, 202)
  assert.equal((await post(unit)).status, 429)
})

/** By a secret, as the fake of the channels has it. */
const signed = `v1,${'B'.repeat(43)}=`
const judging: Options['answers'] = {
  'channels.webhook': ({ signature: given }) => ({ outcome: given === signed ? 'accepted' : 'bad_signature' }),
}
const genuine = () => headersOf({ 'webhook-signature': signed })
const several = <T>(many: number, act: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: many }, act))

test('who has no secret cannot use up the share of who has, at the same address', async () => {
  const unit = createTestUnit({ boot: { rate: { perSecond: 50, burst: 100 } }, answers: judging, now: () => 0 })
  for (const headers of [headersOf({ 'webhook-signature': null }), headersOf({ 'webhook-timestamp': seconds(-360) }), headersOf()]) {
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const answers = await several(20, () => post(unit, undefined, headers))
      assert.deepEqual(new Set(answers.map(({ status }) => status)).has(202), false)
    }
  }
  for (let sent = 0; sent < limits.webhooksBurst; sent += 1) assert.equal((await post(unit, undefined, genuine())).status, 202)
  assert.equal((await post(unit, undefined, genuine())).status, 429, 'the share itself holds')
  assert.equal(await refusedOf(unit.unit, 'too-fast'), 1)
})

test('an address has few bodies on their way at once, and what comes then waits and is not refused', async () => {
  const waiting: (() => void)[] = []
  const options: Options = {
    boot: { rate },
    answers: { 'channels.webhook': () => new Promise((done) => waiting.push(() => done({ outcome: 'accepted' }))) },
  }
  const unit = createTestUnit(options)
  const begun = (many: number) =>
    waitFor(async () => waiting.length >= many || undefined, { what: `${many} to be judged`, deadline: 30_000 })
  const slow = Array.from({ length: limits.webhooksAtOnce + 3 }, () => post(unit))
  const other = post(unit, '192.0.2.2')
  await begun(limits.webhooksAtOnce + 1)
  assert.equal(unit.named('channels.webhook').length, limits.webhooksAtOnce + 1)
  for (const done of waiting.splice(0)) done()
  await begun(3)
  for (const done of waiting) done()
  for (const answer of await Promise.all([...slow, other])) assert.equal(answer.status, 202)
})

test('what waited for a place is refused where others have used up the share of its address meanwhile, and keeps no place', async () => {
  let now = 0
  const held: (() => void)[] = []
  let isHeld = true
  const later = (): Promise<{ outcome: 'accepted' }> =>
    new Promise((done) => (isHeld ? held.push(() => done({ outcome: 'accepted' })) : done({ outcome: 'accepted' })))
  const unit = createTestUnit({ boot: { rate }, answers: { 'channels.webhook': later }, now: () => now })
  const all = Array.from({ length: limits.webhooksAtOnce + limits.webhooksWaiting }, () => post(unit))
  await waitFor(async () => held.length === limits.webhooksAtOnce || undefined, { what: 'all places to be taken', deadline: 30_000 })
  isHeld = false
  for (const done of held) done()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  const refused = statuses.filter((status) => status === 429).length
  // Those that were read when the share was used up are taken.
  assert.ok(statuses.length - refused < limits.webhooksBurst + limits.webhooksAtOnce, statuses.join())
  assert.equal(await refusedOf(unit.unit, 'too-fast'), refused)
  now = 1_000
  for (let sent = 0; sent < limits.webhooksAtOnce; sent += 1) assert.equal((await post(unit)).status, 202)
})

/** The head of a request and the beginning of its body, and no end. */
const dawdle = (t: TestContext, { port, host }: { port: number; host: string }): Socket => {
  const lines = Object.entries({ host, 'content-length': '500000', ...headersOf() })
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/webhooks HTTP/1.1\r\n${lines.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`])).join('')}\r\n{`,
  )
  return socket
}

test('bodies that never end keep no genuine webhook of the same address out', async (t) => {
  const server = await startServer(t, { boot: { webhooks: true, rate }, answers: judging })
  const dawdlers = Array.from({ length: 2 * limits.webhooksAtOnce }, () => dawdle(t, server))
  const heads = dawdlers.map(async (socket) => text(socket))
  const ask = () => {
    const headers = Object.fromEntries(Object.entries(genuine()).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
    return fetch(`http://${server.host}/v1/webhooks`, { method: 'POST', headers, body: '{}' })
  }
  for (let sent = 0; sent < 3; sent += 1) assert.equal((await ask()).status, 202)
  assert.match(await Promise.race(heads), /^HTTP\/1\.1 429 /)
  assert.ok((await refusedOf(server.unit, 'too-many')) > 0)
})

test('with the rate off nobody is slowed, and a wrong signature still is', async () => {
  const unit = createTestUnit({ now: () => 0 })
  for (let sent = 0; sent < 2 * limits.webhooksBurst; sent += 1) assert.equal((await post(unit)).status, 202)
  const wrong = headersOf({ 'webhook-signature': 'v1,AAAA' })
  const statuses: number[] = []
  for (let sent = 0; sent <= limits.webhooksWrongPerMinute; sent += 1) statuses.push((await post(unit, '192.0.2.1', wrong)).status)
  assert.deepEqual(statuses, [...Array.from({ length: limits.webhooksWrongPerMinute }, () => 401), 429])
})
