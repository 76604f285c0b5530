// The bucket of each principal: it empties, says so, refills, and is nobody else's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createTestUnit, otherToken } from '../fixtures/unit.ts'

const rate = { perSecond: 2, burst: 3 }

test('refuses a principal beyond its burst and says when to come back', async () => {
  const { ask } = createTestUnit({ boot: { rate }, now: () => 0 })
  for (const left of [2, 1, 0]) {
    const answer = await ask('GET', '/v1/status')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('ratelimit-policy'), '"principal";q=3;w=2')
    assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"principal";r=${left};t=\\d+$`))
  }
  const refused = await ask('GET', '/v1/status')
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal(refused.json().code, 'rate-limited')
})

test('fills again with time', async () => {
  let now = 0
  const { ask } = createTestUnit({ boot: { rate }, now: () => now })
  for (let i = 0; i < 4; i += 1) await ask('GET', '/v1/status')
  now = 500
  assert.equal((await ask('GET', '/v1/status')).status, 200)
  assert.equal((await ask('GET', '/v1/status')).status, 429)
})

test('slows one principal and no other', async () => {
  const { ask } = createTestUnit({ boot: { rate }, now: () => 0 })
  for (let i = 0; i < 5; i += 1) await ask('GET', '/v1/status')
  assert.equal((await ask('GET', '/v1/status', { headers: { authorization: `Bearer ${otherToken}` } })).status, 200)
})

test('counts a principal once, with however many tokens it comes', async () => {
  const { ask } = createTestUnit({
    boot: { rate },
    now: () => 0,
    answers: { 'gateway.permit': () => ({ name: 'ann', role: 'auditor' }) },
  })
  for (let i = 0; i < 3; i += 1) await ask('GET', '/v1/status')
  assert.equal((await ask('GET', '/v1/status', { headers: { authorization: `Bearer ${otherToken}` } })).status, 429)
})

test('asks the gateway nothing for a token whose holder was refused, until there is something left', async () => {
  let now = 0
  const unit = createTestUnit({ boot: { rate }, now: () => now })
  const other = { headers: { authorization: `Bearer ${otherToken}` } }
  for (let i = 0; i < 9; i += 1) await unit.ask('GET', '/v1/status')
  const refused = await unit.ask('GET', '/v1/status')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  assert.equal(unit.named('gateway.permit').length, rate.burst + 1)
  assert.equal((await unit.ask('GET', '/v1/status', other)).status, 200)
  now = 500
  assert.equal((await unit.ask('GET', '/v1/status')).status, 200)
  assert.equal(unit.named('gateway.permit').length, rate.burst + 3)
})

test('spends nothing of a principal on those who are not it', async () => {
  const { ask } = createTestUnit({ boot: { rate }, now: () => 0 })
  for (let i = 0; i < 9; i += 1) await ask('GET', '/v1/status', { headers: { authorization: 'Bearer wrong' } })
  assert.equal((await ask('GET', '/v1/status')).headers.get('ratelimit'), '"principal";r=2;t=1')
})

test('never refuses a probe', async () => {
  const { ask } = createTestUnit({ boot: { rate }, now: () => 0 })
  for (let i = 0; i < 20; i += 1) {
    assert.equal((await ask('GET', '/healthz')).status, 200)
    assert.equal((await ask('GET', '/readyz')).status, 200)
  }
})

test('counts files of the console by address', async () => {
  const { ask } = createTestUnit({ boot: { rate }, now: () => 0 })
  for (let i = 0; i < 3; i += 1) await ask('GET', '/ui/')
  assert.equal((await ask('GET', '/ui/')).status, 429)
  assert.equal((await ask('GET', '/ui/', { from: '192.0.2.99' })).status, 200)
})

test('limits nobody where the rate is off', async () => {
  const { ask } = createTestUnit({ boot: { rate: null } })
  for (let i = 0; i < 300; i += 1) assert.equal((await ask('GET', '/v1/openapi.json')).status, 200)
})

test('every 429 says when to come back, also one that a peer decided', async () => {
  for (const [extra, expected] of [
    [{ retryAfter: '1234' }, '1234'],
    [undefined, '5'],
  ] as const) {
    const { ask } = createTestUnit({
      answers: {
        'gateway.change': () => {
          throw new ServiceError('queue-full', { detail: 'so many wait', extra })
        },
      },
    })
    const answer = await ask('GET', '/v1/changes/chg_20260102030405.678000000')
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, expected])
  }
})
