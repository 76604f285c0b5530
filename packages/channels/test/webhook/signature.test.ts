// Signatures of webhooks beside the standard's own library, and what happens without each wall.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { isGenuine, sign, type Signed } from '../../src/webhook/signature.ts'
import { loadWeakened } from '../fixtures/weakened.ts'

const keys = ['a', 'b', 'c'].map((letter) => Buffer.from(letter.repeat(32)))
const [first = Buffer.alloc(0), second = Buffer.alloc(0), stranger = Buffer.alloc(0)] = keys
const library = (key: Buffer): Webhook => new Webhook(`whsec_${key.toString('base64')}`)
const now = Date.now()
const seconds = (offset = 0): string => String(Math.floor(now / 1000) + offset)
const body = '{"type":"message"}'

const signed = (key: Buffer, more: Partial<Signed> = {}): Signed => {
  const message = { id: 'msg_1', timestamp: seconds(), body, ...more }
  return { ...message, signature: more.signature ?? sign([key], message) }
}

test('what we sign the library takes by either of two secrets, and what it signs we take', () => {
  const message = signed(first, { signature: sign([first, second], { id: 'msg_1', timestamp: seconds(), body }) })
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': message.timestamp, 'webhook-signature': message.signature }
  for (const key of [first, second]) library(key).verify(body, headers)
  assert.throws(() => library(stranger).verify(body, headers))
  const theirs = signed(first, { signature: library(second).sign('msg_1', new Date(now), body) })
  assert.ok(isGenuine([first, second], theirs, now))
})

const unread = { from: 'webhookFault(message, now) === undefined', to: 'now > 0 && webhookFault !== undefined' }

/** Each with what a weaker unit would leave out. */
const attacks: readonly (readonly [string, Signed, { readonly from: string; readonly to: string } | undefined])[] = [
  ['another secret', signed(stranger), { from: 'timingSafeEqual(one, mac)', to: 'timingSafeEqual(mac, mac)' }],
  ['another body', { ...signed(first), body: '{}' }, { from: '${id}.${timestamp}.${body}', to: '${id}.${timestamp}.${body.length > 0}' }],
  ['another id', { ...signed(first), id: 'msg_2' }, { from: '${id}.${timestamp}.${body}', to: '${id.length > 0}.${timestamp}.${body}' }],
  ['another time', { ...signed(first), timestamp: seconds(1) }, { from: '${id}.${timestamp}', to: '${id}.${timestamp.length > 0}' }],
  ['an old time', signed(first, { timestamp: seconds(-301) }), unread],
  ['a time to come', signed(first, { timestamp: seconds(302) }), unread],
  ['no time', signed(first, { timestamp: '' }), undefined],
  ['an id with a dot', signed(first, { id: 'a.b' }), unread],
  ['an unknown version', { ...signed(first), signature: sign([first], signed(first)).replace('v1,', 'v0,') }, undefined],
  ['no signature', { ...signed(first), signature: '' }, undefined],
  ['a short signature', { ...signed(first), signature: 'v1,AAAA' }, undefined],
]

test('nothing else is genuine', () => {
  assert.ok(isGenuine([first, second], signed(first), now))
  assert.ok(isGenuine([first, second], signed(second, { timestamp: seconds(-299) }), now))
  for (const [name, message] of attacks) assert.ok(!isGenuine([first, second], message, now), name)
})

test('each wall is there for a reason: without it, its attack gets through', async (t) => {
  for (const [name, message, weakening] of attacks) {
    if (weakening === undefined) continue
    const file = 'webhook/signature.ts'
    const weak = await loadWeakened<{ isGenuine: typeof isGenuine; sign: typeof sign }>(t, file, { file, ...weakening })
    // Signed anew, since both ends of a weaker unit would agree on what is signed.
    const genuine = {
      ...message,
      id: 'msg_1',
      timestamp: name.endsWith('time') && name.startsWith('another') ? seconds() : message.timestamp,
      body,
    }
    const signature = name.startsWith('another') && name !== 'another secret' ? weak.sign([first], genuine) : message.signature
    assert.ok(weak.isGenuine([first, second], { ...message, signature }, now), name)
  }
})
