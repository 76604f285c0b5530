// What the headers of a webhook say before its body is read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookFault, type WebhookHeaders } from '../src/index.ts'

const now = 1_700_000_000_000
const mac = 'A'.repeat(43)
const good: WebhookHeaders = { id: 'msg_1', timestamp: '1700000000', signature: `v1,${mac}=` }

const cases: readonly [name: string, headers: Partial<WebhookHeaders>, fault: ReturnType<typeof webhookFault>][] = [
  ['as they must be', {}, undefined],
  ['several signatures, of other versions too', { signature: `v1a,xyz v1,${mac}= v2,abc` }, undefined],
  ['without the padding of base64', { signature: `v1,${mac}` }, undefined],
  ['five minutes old', { timestamp: '1699999700' }, undefined],
  ['five minutes ahead', { timestamp: '1700000300' }, undefined],
  ['a second older', { timestamp: '1699999699' }, 'untimely'],
  ['a second further ahead', { timestamp: '1700000301' }, 'untimely'],
  ['no id', { id: '' }, 'malformed'],
  ['an id with a dot, which parts it from the time', { id: 'a.b' }, 'malformed'],
  ['an id with a blank', { id: 'a b' }, 'malformed'],
  ['an id that is too long', { id: 'a'.repeat(257) }, 'malformed'],
  ['no time', { timestamp: '' }, 'malformed'],
  ['a time with a sign', { timestamp: '-1700000000' }, 'malformed'],
  ['a time with a fraction', { timestamp: '1700000000.5' }, 'malformed'],
  ['a date', { timestamp: '2023-11-14T22:13:20Z' }, 'malformed'],
  ['no signature', { signature: '' }, 'malformed'],
  ['a signature without a version', { signature: `${mac}=` }, 'malformed'],
  ['a signature of another version', { signature: `v2,${mac}=` }, 'malformed'],
  ['a short signature', { signature: 'v1,AAAA' }, 'malformed'],
  ['a long signature', { signature: `v1,A${mac}=` }, 'malformed'],
  ['a version that only ends so', { signature: `xv1,${mac}=` }, 'malformed'],
]

for (const [name, headers, fault] of cases) {
  test(`${name}: ${fault ?? 'nothing against them'}`, () => assert.equal(webhookFault({ ...good, ...headers }, now), fault))
}
