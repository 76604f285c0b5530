// The Host and Origin headers: forged ones reach nothing, probes may come by any name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestUnit, type Options } from '../fixtures/unit.ts'

const statusOf = async (headers: Record<string, string | null>, boot: Options['boot'] = {}, path = '/v1/status') =>
  (await createTestUnit({ boot }).ask('GET', path, { headers })).status

const forged = [
  'evil.example',
  'evil.example:8787',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '127.0.0.1:8788',
  'localhost:80',
  '[::1]:443',
  'localhost.:8787',
  'a.localhost:8787',
  '127.1:8787',
  '127.0.0.2:8787',
  '2130706433:8787',
  '0x7f.0.0.1:8787',
  '0.0.0.0:8787',
  '[::]:8787',
  '[::ffff:127.0.0.1]:8787',
  'user@127.0.0.1:8787',
  '127.0.0.1:8787.evil.example',
  '127.0.0.1:8787@evil.example',
  '127.0.0.1:08787',
  '127.0.0.1:8787, evil.example',
  'evil.example, 127.0.0.1:8787',
  '127.0.0.1:8787/',
  '127.0.0.1.nip.io:8787',
  'lоcalhost:8787'.normalize('NFKD').replace('о', 'o-'),
  'http://127.0.0.1:8787',
  '127.0.0.1 :8787',
  '::1:8787',
  'gate.example.com',
]

test('refuses forged Host headers on a listener bound to loopback', async () => {
  const { ask } = createTestUnit()
  for (const host of forged) {
    const answer = await ask('GET', '/v1/status', { headers: { host } })
    assert.equal(answer.status, 403, host)
    assert.equal(answer.json().code, 'host-refused')
    assert.equal((await ask('GET', '/ui/', { headers: { host } })).status, 403, host)
  }
})

test('answers to its loopback names with the port, in any case of letters', async () => {
  for (const host of ['127.0.0.1:8787', 'localhost:8787', 'LocalHost:8787', '[::1]:8787']) assert.equal(await statusOf({ host }), 200, host)
})

test('answers to the names of SERVICE_PUBLIC_URL', async () => {
  const boot = { publicUrls: ['https://gate.example.com', 'http://other.example:9000'] }
  for (const host of ['gate.example.com', 'gate.example.com:443', 'other.example:9000', '127.0.0.1:8787']) {
    assert.equal(await statusOf({ host }, boot), 200, host)
  }
  for (const host of ['gate.example.com:80', 'gate.example.com:8787', 'other.example', 'a.gate.example.com']) {
    assert.equal(await statusOf({ host }, boot), 403, host)
  }
})

test('takes a bare name of SERVICE_PUBLIC_URL with either default port', async () => {
  const boot = { publicUrls: ['gate.example.com'] }
  for (const host of ['gate.example.com', 'gate.example.com:443', 'gate.example.com:80'])
    assert.equal(await statusOf({ host }, boot), 200, host)
  assert.equal(await statusOf({ host: 'gate.example.com:8787' }, boot), 403)
})

test('takes any Host on another address until SERVICE_PUBLIC_URL is given', async () => {
  assert.equal(await statusOf({ host: 'whatever.example' }, { host: '0.0.0.0' }), 200)
  assert.equal(await statusOf({ host: 'whatever.example' }, { host: '0.0.0.0', publicUrls: ['https://gate.example.com'] }), 403)
  assert.equal(await statusOf({ host: '10.0.0.5:8787' }, { host: '10.0.0.5', publicUrls: ['https://gate.example.com'] }), 200)
})

test('lets probes come by any name, and by none', async () => {
  for (const path of ['/healthz', '/readyz']) {
    for (const host of ['evil.example', null]) assert.equal(await statusOf({ host, origin: 'https://evil.example' }, {}, path), 200)
  }
})

test('refuses a request without Host elsewhere as malformed', async () => {
  assert.equal(await statusOf({ host: null }), 400)
})

test('refuses an Origin of another site', async () => {
  const origins = [
    'https://evil.example',
    'null',
    'http://127.0.0.1',
    'http://127.0.0.1:8788',
    'http://localhost:8787',
    'https://127.0.0.1:8787/',
    'ftp://127.0.0.1:8787',
    'file://',
    '127.0.0.1:8787',
    'http://127.0.0.1:8787.evil.example',
    'http://127.0.0.1:8787@evil.example',
    'http://evil.example:8787',
    '',
    'http://127.0.0.1:8787 http://evil.example',
  ]
  for (const origin of origins) assert.equal(await statusOf({ origin }), 403, origin)
})

test('takes the Origin of the same site', async () => {
  const boot = { publicUrls: ['https://gate.example.com'] }
  assert.equal(await statusOf({ origin: 'http://127.0.0.1:8787' }), 200)
  assert.equal(await statusOf({ host: 'localhost:8787', origin: 'http://localhost:8787' }), 200)
  assert.equal(await statusOf({ host: 'gate.example.com', origin: 'https://gate.example.com' }, boot), 200)
  assert.equal(await statusOf({ host: '127.0.0.1:8787', origin: 'https://gate.example.com' }, boot), 200)
  assert.equal(await statusOf({ host: 'gate.example.com', origin: 'http://gate.example.com' }, boot), 403)
})
