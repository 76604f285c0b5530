// Every metric of the table is there before anything happened, and is moved by what it counts.
// Profile: rest. Moves every metric in a whole unit; each service tests its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type MetricName, type MetricRow, metrics } from '@gatehouse/contracts'
import { webhookSecret } from '../src/channels/webhook.ts'
import { say } from '../src/chat.ts'
import { request } from '../src/http.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'm'.repeat(64)
let unit: Unit
before(async () => {
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none'],
    env: { SERVICE_MODEL_BASE_URL: 'http://127.0.0.1:9/v1', WEBHOOK_SIGNING_SECRET: webhookSecret('m') },
  })
})
after(() => unit.dispose())

type Readings = ReadonlyMap<string, number>

const read = async (): Promise<Readings> => {
  const { text } = await request(`${unit.address}/metrics`)
  const samples = text.split('\n').filter((line) => line.startsWith('gatehouse_'))
  return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

const named = (readings: Readings, name: string): [string, number][] =>
  [...readings].filter(([series]) =>
    series
      .slice('gatehouse_'.length)
      .replace(/_(bucket|sum|count)?(\{|$).*/, '')
      .startsWith(name),
  )

/** Of the series that are told apart by those labels; of a histogram its count. */
const total = (readings: Readings, name: MetricName, labels: readonly string[] = []): number => {
  const exact = metrics[name].type === 'histogram' ? `gatehouse_${name}_count` : `gatehouse_${name}`
  return [...readings]
    .filter(([series]) => series.split('{', 1)[0] === exact && labels.every((label) => series.includes(label)))
    .reduce((sum, [, value]) => sum + value, 0)
}

test('shows every metric of the table at the start, those of what has not happened at 0', async () => {
  const readings = await waitFor('a sandbox driver', 60_000, async () => {
    const found = await read()
    return named(found, 'sandbox_launches_total').length > 0 ? found : undefined
  })
  const { text } = await request(`${unit.address}/metrics`)
  for (const [name, { type, labels }] of Object.entries<MetricRow>(metrics)) {
    assert.ok(text.includes(`\n# TYPE gatehouse_${name} ${type}\n`), `${name} is not there`)
    // A histogram with labels has its first series with its first value; tokens are counted for servers that the unit logs in at.
    if (name === 'broker_token_requests_total') continue
    if (type !== 'histogram' || labels.length === 0) assert.ok(named(readings, name).length > 0, `${name} has no series`)
  }
  const quiet: MetricName[] = [
    'gateway_decisions_total',
    'gateway_held_changes',
    'gateway_oldest_held_seconds',
    'gateway_apply_duration_seconds',
    'broker_requests_total',
    'broker_bytes_total',
    'broker_upstream_restarts_total',
    'broker_queue_depth',
    'model_proxy_egress_bytes_total',
    'model_proxy_errors_total',
    'model_proxy_request_duration_seconds',
    'model_proxy_tokens_total',
    'sandbox_launches_total',
    'sandbox_kills_total',
    'sandbox_live',
    'sandbox_launches_waiting',
    'deliveries_total',
    'channel_messages_total',
    'webhooks_refused_total',
    'unit_degraded',
    'sandbox_refused',
    'process_restarts_total',
  ]
  for (const name of quiet) assert.equal(total(readings, name), 0, name)
})

const submit = async (tools: readonly string[]): Promise<string> =>
  (await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server: 'sample', tools: [...tools] } })).id

/** What must have grown by that much, or fallen, at the next reading that shows it. */
const moves = async (act: () => Promise<unknown>, expected: readonly [MetricName, number, ...labels: string[]][]): Promise<void> => {
  const earlier = await read()
  await act()
  const differences = (now: Readings) => expected.map(([name, , ...labels]) => total(now, name, labels) - total(earlier, name, labels))
  await waitFor(`${expected.map(([name]) => name).join(', ')} to move`, 60_000, async () => {
    const now = differences(await read())
    return expected.every(([, by], index) => now[index] === by)
  })
}

test('a change that is held, and one that is decided', async () => {
  let id = ''
  await moves(async () => (id = await submit(['crash'])), [['gateway_held_changes', 1]])
  await waitFor('its age', 60_000, async () => total(await read(), 'gateway_oldest_held_seconds') > 0)
  await moves(
    () => unit.client.changes.decide(id, { outcome: 'reject', decidedBy: 'someone' }),
    [
      ['gateway_held_changes', -1],
      ['gateway_decisions_total', 1, 'kind="mcp_access"', 'outcome="rejected"'],
      ['audit_append_duration_seconds', 1],
      ['http_requests_total', 1, 'route="/v1/changes/{id}/decision"', 'method="POST"', 'status="200"'],
      ['http_request_duration_seconds', 1, 'route="/v1/changes/{id}/decision"'],
      ['rpc_calls_total', 1, 'edge="gateway.control-plane"', 'method="decide"', 'outcome="ok"'],
    ],
  )
  await moves(async () => {
    await unit.client.changes.decide(await submit(['echo']), { outcome: 'approve', decidedBy: 'someone' })
  }, [
    ['gateway_decisions_total', 1, 'kind="mcp_access"', 'outcome="applied"'],
    ['gateway_apply_duration_seconds', 1, 'kind="mcp_access"'],
  ])
})

test('a message, its sandbox, and a call of a tool', async () => {
  await moves(
    () => say(unit, 'tool:sample__echo {"text":"hi"}'),
    [
      ['sandbox_launches_total', 1, 'driver="none"', 'outcome="ok"'],
      ['sandbox_launch_duration_seconds', 1, 'driver="none"'],
      ['sandbox_live', 1],
      ['deliveries_total', 1, 'channel="console"', 'outcome="ok"'],
      ['broker_requests_total', 1, 'server="sample"', 'op="call"', 'status="ok"'],
      ['broker_request_duration_seconds', 1, 'server="sample"', 'op="call"'],
    ],
  )
  const readings = await read()
  assert.equal(total(readings, 'broker_upstream_up', ['server="sample"']), 1)
  for (const direction of ['in', 'out']) assert.ok(total(readings, 'broker_bytes_total', [`direction="${direction}"`]) > 0, direction)
})

test('a webhook that nobody vouches for', async () => {
  await moves(
    () => request(`${unit.address}/v1/webhooks`, { method: 'POST', body: '{}' }),
    [['webhooks_refused_total', 1, 'reason="malformed"']],
  )
})

test('a sandbox that a person ends', async () => {
  const [session] = (await unit.client.sessions.list()).items
  assert.ok(session !== undefined)
  await moves(
    () => unit.client.sessions.terminate(session.id),
    [
      ['sandbox_kills_total', 1, 'reason="terminate"'],
      ['sandbox_live', -1],
    ],
  )
})

test('the processes of the unit, and its version', async () => {
  const readings = await read()
  assert.equal(total(readings, 'process_up'), (await unit.client.status()).processes.length)
  assert.equal(total(readings, 'build_info'), 1)
  assert.equal(total(readings, 'unit_ready'), 1)
  assert.equal(total(readings, 'audit_writable'), 1)
  assert.ok(total(readings, 'sandbox_missing_walls') > 0)
  assert.ok(total(readings, 'state_free_bytes') > 0)
  assert.ok(total(readings, 'state_size_bytes') >= total(readings, 'state_free_bytes'))
})

test('a process that ended, and the one that takes its place', async () => {
  const pid = await unit.pidOf('broker')
  await moves(async () => process.kill(pid, 'SIGKILL'), [['process_restarts_total', 1, 'process="broker"']])
  await waitFor('the broker to be back', 60_000, async () => {
    const readings = await read()
    return total(readings, 'process_up', ['process="broker"']) === 1 && total(readings, 'process_restarts_total') === 1
  })
})

test('an idle unit shows few series, and what it does not have at 0', async (t) => {
  const idle = await startUnit({ flags: ['--sandbox', 'off'], env: { SERVICE_API_TOKEN: token }, token })
  t.after(idle.dispose)
  const { text, status } = await request(`${idle.address}/metrics`, { headers: idle.bearer })
  assert.equal(status, 200)
  for (const [name, { type }] of Object.entries<MetricRow>(metrics)) assert.ok(text.includes(`# TYPE gatehouse_${name} ${type}\n`), name)
  const series = text.split('\n').filter((line) => line.startsWith('gatehouse_'))
  assert.ok(series.length < 600, `${series.length} series`)
})

test('counts the tokens of a server that the unit logs in at from 0', async () => {
  await unit.client.servers.put('far', { transport: 'http', url: 'https://mcp.example.invalid/mcp', auth: { type: 'oauth' } })
  await waitFor('its series', 60_000, async () => named(await read(), 'broker_token_requests_total').some(([, value]) => value === 0))
})
