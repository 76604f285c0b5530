// Status and metrics: behind the token, and whole only when every part answers.
import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type MetricRow, metrics, ServiceError, Status } from '@gatehouse/contracts'
import { createMetrics } from '@gatehouse/kernel'
import * as v from 'valibot'
import { createTestUnit, healthy } from '../fixtures/unit.ts'
import { freeze } from '../fixtures/values.ts'

const down = (): never => {
  throw new ServiceError('unavailable')
}

test('joins the status of every part', async () => {
  const { ask } = createTestUnit({ answers: { 'runner.sessions': () => ({ items: [] }) } })
  assert.deepEqual((await ask('GET', '/v1/status')).json(), {
    version: '0.0.0-test',
    mode: 'production',
    open: false,
    principal: { name: 'admin', role: 'admin' },
    startedAt: '2026-01-01T00:00:00.000Z',
    mcp: { enabled: true, isolation: 'none', pinning: 'refuse', endpoint: true },
    approvals: 1,
    external: [],
    frozen: [],
    sandbox: { driver: 'bubblewrap', status: 'ok', missing: ['seccomp'] },
    processes: healthy.processes,
    degraded: [],
    held: 1,
    parked: [],
  })
})

test('names the sessions that are parked, and why', async () => {
  const parked = {
    id: 'ses_aaaaaaaaaaaaa',
    agentGroupID: 'helper',
    conversationId: 'console',
    state: 'parked',
    waiting: 1,
    launches: 0,
    lastExit: 'parked: no model is approved',
    fix: 'name a model',
  }
  const { ask, calls } = createTestUnit({ answers: { 'runner.sessions': () => ({ items: [parked] }) } })
  assert.deepEqual((await ask('GET', '/v1/status')).json().parked, [parked])
  assert.deepEqual(calls.find(({ name }) => name === 'runner.sessions')?.params, { state: 'parked', limit: 100 })
})

test('names its installation and the directory that it holds, but not to a token that is narrowed to groups', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'control-plane-'))
  t.after(() => rm(stateDir, { recursive: true }))
  const { dev, ino } = await stat(stateDir, { bigint: true })
  const boot = { stateDir, installation: 'a'.repeat(32) }
  const whole = v.parse(Status, (await createTestUnit({ boot }).ask('GET', '/v1/status')).json())
  assert.deepEqual(whole.identity, { ...boot, device: String(dev), inode: String(ino) })
  const narrowed = createTestUnit({ boot, answers: { 'gateway.permit': () => ({ name: 'ada', role: 'approver', groups: ['a'] }) } })
  assert.equal(v.parse(Status, (await narrowed.ask('GET', '/v1/status')).json()).identity, undefined)
})

test('says what is frozen, and what of it the gateway cannot tell', async () => {
  const frozen = createTestUnit({ answers: { 'gateway.freezes': () => ({ items: [freeze] }) } })
  assert.deepEqual((await frozen.ask('GET', '/v1/status')).json().frozen, [freeze])
  const { frozen: unknown, degraded } = (await createTestUnit({ answers: { 'gateway.freezes': down } }).ask('GET', '/v1/status')).json()
  assert.deepEqual([unknown, degraded], [[], ['gateway']])
})

test('asks for the number of held changes, and reads none of them', async () => {
  const { ask, calls } = createTestUnit({ answers: { 'gateway.heldCount': () => ({ held: 401 }) } })
  assert.equal((await ask('GET', '/v1/status')).json().held, 401)
  assert.deepEqual(
    calls.map(({ name }) => name).filter((name) => name === 'gateway.pending'),
    [],
  )
})

test('gives a status while parts are down, and names them', async () => {
  const { ask } = createTestUnit({
    boot: { mcp: null },
    answers: { 'supervisor.health': down, 'runner.posture': down, 'gateway.heldCount': down },
  })
  const answer = await ask('GET', '/v1/status')
  assert.equal(answer.status, 200)
  const status = v.parse(Status, answer.json())
  assert.deepEqual(status.degraded.toSorted(), ['gateway', 'runner', 'supervisor'])
  assert.deepEqual([status.held, status.mcp.enabled, status.sandbox.status], [0, false, 'refused'])
})

test('merges the metrics of all processes, and its own once', async () => {
  const broker = createMetrics('broker')
  broker.counter('broker_requests_total').inc({ server: 'sample', op: 'call', status: 'ok' }, 3)
  broker.histogram('broker_request_duration_seconds').observe({ server: 'sample', op: 'call' }, 0.002)
  const { ask, unit } = createTestUnit({
    answers: {
      'supervisor.metrics': async () => ({
        broker: JSON.parse(JSON.stringify(await broker.json())),
        gateway: JSON.parse(JSON.stringify(await createMetrics('gateway').json())),
        'control-plane': JSON.parse(JSON.stringify(await unit.metrics.json())),
      }),
    },
  })
  await ask('GET', '/v1/sessions')
  const answer = await ask('GET', '/metrics')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assert.match(answer.text, /^gatehouse_broker_requests_total\{server="sample",op="call",status="ok"\} 3$/m)
  assert.match(answer.text, /^gatehouse_broker_request_duration_seconds_count\{.*\} 1$/m)
  assert.match(answer.text, /^gatehouse_gateway_held_changes 0$/m)
  assert.match(answer.text, /^gatehouse_http_requests_total\{route="\/v1\/sessions",method="GET",status="200"\} 1$/m)
  assert.match(answer.text, /^gatehouse_http_request_duration_seconds_count\{route="\/v1\/sessions"\} 1$/m)
  const families = answer.text.match(/^# TYPE .*/gm) ?? []
  assert.equal(new Set(families).size, families.length)
})

test('tells in gauges what readiness and status say', async () => {
  const { ask } = createTestUnit({
    answers: {
      'supervisor.health': () => ({
        ...healthy,
        services: { ...healthy.services, broker: { status: 'degraded', degraded: ['sample'], facts: {} } },
      }),
      'runner.posture': () => ({ driver: 'oci', status: 'refused', missing: ['network', 'own-uid'] }),
    },
  })
  const { text } = await ask('GET', '/metrics')
  assert.match(text, /^gatehouse_unit_ready 1$/m)
  assert.match(text, /^gatehouse_unit_degraded\{part="sample"\} 1$/m)
  assert.match(text, /^gatehouse_unit_degraded\{part="disk"\} 0$/m)
  assert.match(text, /^gatehouse_sandbox_refused 1$/m)
  assert.match(text, /^gatehouse_sandbox_missing_walls 2$/m)
})

test('is not ready by its gauge without the gateway, and forgets a part that is mended', async () => {
  const [failed, ready] = ['failed', 'ready'].map((status) => ({ status, degraded: [], facts: {} }))
  const faulty = { status: 'degraded', degraded: ['sample'], facts: {} }
  let services: object = { ...healthy.services, gateway: failed, broker: faulty }
  const { ask } = createTestUnit({ answers: { 'supervisor.health': () => ({ ...healthy, services }) } })
  const broken = (await ask('GET', '/metrics')).text
  assert.match(broken, /^gatehouse_unit_ready 0$/m)
  for (const part of ['gateway', 'sample']) assert.match(broken, new RegExp(`^gatehouse_unit_degraded\\{part="${part}"\\} 1$`, 'm'))
  services = { ...healthy.services, gateway: ready }
  const mended = (await ask('GET', '/metrics')).text
  assert.match(mended, /^gatehouse_unit_ready 1$/m)
  assert.doesNotMatch(mended, /^gatehouse_unit_degraded\{.*\} 1$/m)
})

const owners: readonly string[] = ['broker', 'model-proxy', 'runner', 'channels']

for (const state of ['unresponsive', 'stopping', 'ready'])
  test(`shows no 0 for a process that is ${state} and does not tell its metrics`, async () => {
    const processes = [...healthy.processes.filter(({ name }) => name !== 'broker'), { name: 'broker', state, restarts: 0 }]
    const { ask } = createTestUnit({
      answers: { 'supervisor.metrics': async () => ({}), 'supervisor.health': () => ({ ...healthy, processes }) },
    })
    const { text } = await ask('GET', '/metrics')
    for (const [name, { owner }] of Object.entries<MetricRow>(metrics))
      if (owner === 'broker') assert.doesNotMatch(text, new RegExp(`^# TYPE gatehouse_${name} `, 'm'))
  })

test('shows the metrics of processes that are not there, at 0 where nothing tells them apart', async () => {
  const processes = healthy.processes
    .filter(({ name }) => name !== 'channels')
    .map((process) => (owners.includes(process.name) ? { ...process, state: 'down' } : process))
  const { ask } = createTestUnit({
    answers: { 'supervisor.metrics': async () => ({}), 'supervisor.health': () => ({ ...healthy, processes }) },
  })
  const { text } = await ask('GET', '/metrics')
  for (const [name, { type, owner, labels }] of Object.entries<MetricRow>(metrics)) {
    if (!owners.includes(owner)) continue
    assert.match(text, new RegExp(`^# TYPE gatehouse_${name} ${type}$`, 'm'))
    if (labels.length === 0) assert.match(text, new RegExp(`^gatehouse_${name} 0$`, 'm'))
  }
  // A 0 of these would say that the disk is full and the journal broken.
  for (const name of ['state_free_bytes', 'audit_writable']) assert.doesNotMatch(text, new RegExp(`^gatehouse_${name} `, 'm'))
})

test('gives its own metrics while the supervisor is down', async () => {
  const { ask } = createTestUnit({ answers: { 'supervisor.metrics': down } })
  await ask('GET', '/healthz')
  const { text } = await ask('GET', '/metrics')
  assert.match(text, /route="\/healthz"/)
  assert.doesNotMatch(text, /^# TYPE gatehouse_broker_/m)
})

test('gives metrics to nobody whom the gateway does not permit', async () => {
  const { ask, named } = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => {
        if (route === 'metrics') throw new ServiceError('forbidden')
        return { name: 'a', role: 'auditor' }
      },
    },
  })
  assert.equal((await ask('GET', '/metrics', { headers: { authorization: null } })).status, 401)
  assert.equal((await ask('GET', '/metrics')).status, 403)
  assert.deepEqual(named('supervisor.metrics'), [])
})
