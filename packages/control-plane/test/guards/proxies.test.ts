// From which address a request counts: by its socket, and by the word of trusted proxies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { addressKey, createProxies } from '../../src/guards/client-address.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const trusted = ['10.0.0.0/8', '192.0.2.1/32', 'fd00::/8', '::1/128']

test('believes nobody where no proxy is named', () => {
  const { clientOf } = createProxies([])
  assert.equal(clientOf('10.0.0.1', '203.0.113.9'), '10.0.0.1')
  assert.equal(clientOf('::ffff:10.0.0.1', '203.0.113.9'), '10.0.0.1')
  assert.equal(clientOf('unknown', '203.0.113.9'), 'unknown')
})

test('reads from the right, past the proxies that it trusts and no further', () => {
  const { clientOf } = createProxies(trusted)
  const cases = [
    ['203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.2.3.4, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.0.0.1', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['::ffff:10.0.0.1', ' 198.51.100.1 ', '198.51.100.1'],
    ['fd12::1', '2001:db8::7', '2001:db8::7'],
    ['::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['192.0.2.1', '198.51.100.1:4711', '198.51.100.1'],
    ['192.0.2.2', '198.51.100.1', '192.0.2.2'],
    ['10.0.0.1', '1.2.3.4, ::ffff:198.51.100.1', '198.51.100.1'],
  ] as const
  for (const [peer, forwarded, client] of cases) assert.equal(clientOf(peer, forwarded), client, `${peer} ${forwarded}`)
})

test('stops at what is no address', () => {
  const { clientOf } = createProxies(trusted)
  for (const junk of ['unknown', '_hidden', 'evil.example', '1.2.3', '1.2.3.4.5', '999.1.1.1', '0x7f.1', '"1.2.3.4"', '<script>']) {
    assert.equal(clientOf('10.0.0.1', `198.51.100.1, ${junk}`), '10.0.0.1', junk)
    assert.equal(clientOf('10.0.0.1', `198.51.100.1, ${junk}, 10.3.3.3`), '10.3.3.3', junk)
  }
})

test('counts the addresses of one IPv6 network as one', () => {
  const key = addressKey('2001:db8:1:2::7')
  for (const address of ['2001:db8:1:2::8', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:DB8:1:2:3:4:5:6'])
    assert.equal(addressKey(address), key)
  assert.notEqual(addressKey('2001:db8:1:3::7'), key)
  assert.notEqual(addressKey('::1'), addressKey('1::'))
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1')
})

test('counts wrong tokens against the client behind a trusted proxy, and against a proxy that is not', async () => {
  const wrong = (client: string) => ({ headers: { authorization: 'Bearer wrong', 'x-forwarded-for': client }, from: '10.0.0.1' })
  const { ask } = createTestUnit({ boot: { trustedProxies: trusted }, now: () => 0 })
  for (let i = 0; i < limits.wrongTokensPerMinute; i += 1) assert.equal((await ask('GET', '/v1/status', wrong('198.51.100.1'))).status, 401)
  assert.equal((await ask('GET', '/v1/status', wrong('198.51.100.1'))).status, 429)
  assert.equal((await ask('GET', '/v1/status', wrong('203.0.113.9, 198.51.100.1'))).status, 429)
  assert.equal((await ask('GET', '/v1/status', wrong('198.51.100.2'))).status, 401)
  const untrusting = createTestUnit({ now: () => 0 })
  for (let i = 0; i < limits.wrongTokensPerMinute; i += 1) await untrusting.ask('GET', '/v1/status', wrong(`198.51.100.${i}`))
  assert.equal((await untrusting.ask('GET', '/v1/status', wrong('198.51.100.77'))).status, 429)
})
