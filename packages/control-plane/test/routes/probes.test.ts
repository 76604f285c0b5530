// Liveness and readiness, as machines see them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createTestUnit, healthy, type Options } from '../fixtures/unit.ts'

const down = (): never => {
  throw new ServiceError('unavailable')
}
const readyOf = async (options: Options) => {
  const answer = await createTestUnit(options).ask('GET', '/readyz', { headers: { authorization: null } })
  return [answer.status, answer.json()] as const
}
const withService = (name: string, service: unknown) => ({
  'supervisor.health': () => ({ ...healthy, services: { ...healthy.services, [name]: service } }),
})

test('answers a plain ok to a liveness probe, asking nobody', async () => {
  const { ask, calls } = createTestUnit()
  const answer = await ask('GET', '/healthz', { headers: { authorization: null } })
  assert.equal(answer.status, 200)
  assert.equal(answer.text, 'ok')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  assert.deepEqual(calls, [])
})

test('is ready when the gateway serves', async () => {
  assert.deepEqual(await readyOf({}), [200, { status: 'ready', sandbox: 'ok' }])
})

test('is not ready without the gateway', async () => {
  for (const options of [
    { gatewayConnected: false },
    { answers: withService('gateway', { status: 'failed', degraded: ['journal'], facts: {} }) },
    { answers: { 'supervisor.health': () => ({ ...healthy, services: {} }) } },
  ]) {
    const [status, body] = await readyOf(options)
    assert.equal(status, 503)
    assert.equal(body.status, 'not-ready')
    assert.deepEqual(body.degraded, ['gateway'])
  }
})

test('is not ready while the supervisor does not answer, since nobody else knows how the gateway is', async () => {
  assert.deepEqual(await readyOf({ answers: { 'supervisor.health': down } }), [
    503,
    { status: 'not-ready', sandbox: 'ok', degraded: ['supervisor'] },
  ])
})

test('stays ready and names what is broken beside it', async () => {
  assert.deepEqual(await readyOf({ answers: { 'runner.posture': down } }), [
    200,
    { status: 'ready', sandbox: 'unknown', degraded: ['runner'] },
  ])
  assert.deepEqual((await readyOf({ answers: withService('broker', { status: 'failed', degraded: [], facts: {} }) }))[1].degraded, [
    'broker',
  ])
  assert.deepEqual(
    (await readyOf({ answers: withService('runner', { status: 'degraded', degraded: ['sandbox'], facts: {} }) }))[1].degraded,
    ['sandbox'],
  )
  assert.deepEqual((await readyOf({ console: new Map() }))[1].degraded, ['console'])
  const processes = healthy.processes.map((row) =>
    row.name === 'broker' || row.name === 'control-plane' ? { ...row, state: 'starting' } : row,
  )
  assert.deepEqual((await readyOf({ answers: { 'supervisor.health': () => ({ ...healthy, processes }) } }))[1].degraded, ['broker'])
  const hung = healthy.processes.map((row) => (row.name === 'runner' ? { ...row, state: 'unresponsive' } : row))
  assert.deepEqual((await readyOf({ answers: { 'supervisor.health': () => ({ ...healthy, processes: hung }) } }))[1].degraded, ['runner'])
})

test('says how sandboxes stand', async () => {
  const refused = { driver: 'oci', status: 'refused', reason: 'runsc is missing', missing: [] }
  assert.deepEqual(await readyOf({ answers: { 'runner.posture': () => refused } }), [200, { status: 'ready', sandbox: 'refused' }])
  assert.deepEqual(await readyOf({ boot: { sandbox: 'off' }, answers: { 'runner.posture': down } }), [
    200,
    { status: 'ready', sandbox: 'off' },
  ])
})

test('asks the unit once for probes that come together', async () => {
  const { ask, named } = createTestUnit()
  await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/readyz')))
  assert.equal(named('supervisor.health').length, 1)
  await ask('GET', '/readyz')
  assert.equal(named('supervisor.health').length, 2)
})
