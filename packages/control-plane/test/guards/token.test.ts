// Wrong tokens: counted against the address that they come from, and never against a valid one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'

const wrong = { authorization: 'Bearer a-wrong-one' }

const exhaust = async (ask: ReturnType<typeof createTestUnit>['ask'], from: string): Promise<void> => {
  for (let i = 0; i < limits.wrongTokensPerMinute; i += 1)
    assert.equal((await ask('GET', '/v1/status', { headers: wrong, from })).status, 401)
}

test('refuses an eleventh wrong token in a minute with 429, while a valid one passes from the same address', async () => {
  const { ask } = createTestUnit({ now: () => 0 })
  await exhaust(ask, '192.0.2.7')
  const refused = await ask('GET', '/v1/status', { headers: wrong, from: '192.0.2.7' })
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '6')
  assert.equal(refused.json().code, 'rate-limited')
  assert.equal((await ask('GET', '/v1/status', { from: '192.0.2.7' })).status, 200)
  assert.equal((await ask('GET', '/v1/status', { headers: wrong, from: '192.0.2.8' })).status, 401)
})

test('takes wrong tokens again when time has passed', async () => {
  let now = 0
  const { ask } = createTestUnit({ now: () => now })
  await exhaust(ask, '192.0.2.7')
  now = 6_001
  assert.equal((await ask('GET', '/v1/status', { headers: wrong, from: '192.0.2.7' })).status, 401)
  assert.equal((await ask('GET', '/v1/status', { headers: wrong, from: '192.0.2.7' })).status, 429)
})

test('does not count a missing token as a wrong one', async () => {
  const { ask } = createTestUnit({ now: () => 0 })
  for (let i = 0; i < 30; i += 1) assert.equal((await ask('GET', '/v1/status', { headers: { authorization: null } })).status, 401)
})

test('hands the gateway a digest and never the token', async () => {
  const { ask, calls } = createTestUnit()
  await ask('GET', '/v1/agent-groups')
  assert.ok(calls.length > 0)
  for (const { params } of calls) assert.equal(params.token, sha256(token))
  assert.ok(!JSON.stringify(calls).includes(token))
})

test('takes the scheme in any case and refuses everything that is not exactly one token', async () => {
  const { ask } = createTestUnit()
  const statusOf = async (authorization: string, from: string) =>
    (await ask('GET', '/v1/status', { headers: { authorization }, from })).status
  assert.equal(await statusOf(`bearer ${token}`, 'a'), 200)
  const variants = [
    token,
    `Bearer${token}`,
    `Bearer ${token},`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token.slice(1)}`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer "${token}"`,
    `Basic ${btoa(token)}`,
    `Digest ${token}`,
    'Bearer null',
    'Bearer undefined',
    `Bearer=${token}`,
    `Bearer token=${token}`,
    `Bearer ${encodeURIComponent(token)}%00`,
    `Bearer ${sha256(token)}`,
  ]
  for (const [index, variant] of variants.entries()) assert.equal(await statusOf(variant, `b${index}`), 401, variant)
})

test('finds no token in the query and none in a cookie', async () => {
  const { ask } = createTestUnit()
  assert.equal((await ask('GET', `/v1/status?token=${token}&access_token=${token}`, { headers: { authorization: null } })).status, 401)
  assert.equal((await ask('GET', '/v1/status', { headers: { authorization: null, cookie: `token=${token}` } })).status, 401)
})

test('says unavailable, and counts nothing, while the gateway is down', async () => {
  const down = (): never => {
    throw new ServiceError('unavailable', { detail: 'the gateway does not answer' })
  }
  const { ask } = createTestUnit({ answers: { 'gateway.permit': down }, now: () => 0 })
  for (let i = 0; i < 20; i += 1) assert.equal((await ask('GET', '/v1/status')).status, 503)
})
