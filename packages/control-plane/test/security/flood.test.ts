// Too many requests on a real socket: refused with the time to wait, while probes and others are served.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { startServer } from '../fixtures/server.ts'
import { otherToken, token } from '../fixtures/unit.ts'

const rate = { perSecond: limits.ratePerSecond, burst: limits.rateBurst }

test('refuses a flood with 429 and the time to wait, while both probes and another principal are answered', async (t) => {
  const { host } = await startServer(t, { boot: { rate }, now: () => 0 })
  const ask = (path: string, presented: string) => fetch(`http://${host}${path}`, { headers: { authorization: `Bearer ${presented}` } })
  const flood = await Promise.all(Array.from({ length: 150 }, () => ask('/v1/agent-groups', token)))
  const refused = flood.filter(({ status }) => status === 429)
  assert.equal(flood.filter(({ status }) => status === 200).length, limits.rateBurst)
  assert.equal(refused.length, 50)
  for (const { headers } of refused) {
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.match(headers.get('ratelimit') ?? '', /^"principal";r=0;t=\d+$/)
    assert.equal(headers.get('content-type'), 'application/problem+json')
  }
  for (const path of ['/healthz', '/readyz']) for (let i = 0; i < 200; i += 1) assert.equal((await ask(path, token)).status, 200)
  assert.equal((await ask('/v1/agent-groups', otherToken)).status, 200)
})
