// Channels as people read them, and webhooks as they are passed on: raw, unread, judged elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoped } from '../fixtures/journal.ts'
import { createTestUnit } from '../fixtures/unit.ts'
import { channelCheck, channels } from '../fixtures/values.ts'

test('lists the channels and what could not be delivered, and asks a service on demand with the permission of a probe', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/channels')).json(), channels)
  assert.deepEqual((await ask('POST', '/v1/channels/webhook/check')).json(), channelCheck)
  assert.deepEqual(
    named('gateway.permit')
      .map(({ params }) => params.route)
      .filter((route) => route !== 'status'),
    ['channels', 'probe'],
  )
  assert.equal((await ask('POST', '/v1/channels/pigeon/check')).status, 404)
})

test('a token of some groups sees no dead letter of another', async () => {
  const { ask } = createTestUnit({ answers: { 'gateway.permit': () => scoped(['other']) } })
  const { letters } = (await ask('GET', '/v1/channels')).json()
  assert.deepEqual(
    (letters as { agentGroupID: string }[]).map(({ agentGroupID }) => agentGroupID),
    ['other'],
  )
})

test('a unit without credentials has no channels, and takes no webhooks', async () => {
  const { ask } = createTestUnit({ boot: { channels: false } })
  assert.deepEqual((await ask('GET', '/v1/channels')).json(), { items: [], letters: [] })
  assert.equal((await ask('POST', '/v1/channels/webhook/check')).status, 404)
  assert.equal((await ask('POST', '/v1/webhooks', { headers: { authorization: null }, body: {} })).status, 404)
})

/** Of the right form and time; whether a secret made them is judged elsewhere. */
const plausible = () => ({
  authorization: null,
  'webhook-id': 'i',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
})

test('a webhook is passed on as it came, without a token and unread', async () => {
  const { ask, named } = createTestUnit()
  const headers = plausible()
  const { status, json } = await ask('POST', '/v1/webhooks', { headers: { ...headers, 'content-type': 'text/plain' }, body: '{"no json' })
  assert.deepEqual([status, json()], [202, { status: 'accepted' }])
  const [passed] = named('channels.webhook')
  const { 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  assert.deepEqual({ ...passed?.params, body: '' }, { id: 'i', timestamp, signature, body: '' })
  assert.match(String(passed?.params.body), /no json/)
})

test('what comes of it is one answer of the table, and a sender that is too fast is told when to come back', async () => {
  const answers = [
    ['duplicate', 202],
    ['refused', 202],
    ['bad_signature', 401],
    ['invalid', 422],
    ['busy', 429],
    ['absent', 404],
  ] as const
  for (const [outcome, expected] of answers) {
    const { ask } = createTestUnit({ answers: { 'channels.webhook': () => ({ outcome }) } })
    const { status, headers } = await ask('POST', '/v1/webhooks', { headers: plausible(), body: {} })
    assert.equal(status, expected, outcome)
    if (outcome === 'busy') assert.equal(headers.get('retry-after'), '30')
  }
})

test('a webhook that is too large or no text is refused before anybody looks at it', async () => {
  const { ask, named } = createTestUnit()
  assert.equal((await ask('POST', '/v1/webhooks', { headers: plausible(), body: 'x'.repeat(600_000) })).status, 413)
  assert.equal(named('channels.webhook').length, 0)
})
