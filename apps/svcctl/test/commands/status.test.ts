// svcctl status and metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Status } from '@gatehouse/contracts'
import * as v from 'valibot'
import { status } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

test('status shows posture, what is degraded and every process', async () => {
  await using unit = await startUnit()
  const options = { env: { SERVICE_API_URL: unit.address } }
  const { stdout } = await svcctlAtTerminal(['status'], options)
  assert.match(stdout, /^sandbox +bubblewrap ok; missing controls: own uid per group$/m)
  assert.match(stdout, /^degraded +broker$/m)
  assert.match(stdout, /^PROCESS +STATE +PID +RESTARTS +SINCE\ngateway +ready +4711 +1 +\d+d$/m)
  assert.match((await svcctl(['status'], options)).stdout, /^gateway\tready\t4711\t1\t2026-01-02T03:04:05\.000Z$/m)
  assert.deepEqual(v.parse(Status, JSON.parse((await svcctl(['status', '--json'], options)).stdout)), status)
})

test('status says what is frozen, by whom and why', async () => {
  const frozen = [{ reason: 'strange\u001b calls', by: 'alice', at: status.startedAt }]
  await using unit = await startUnit({ answers: { 'GET /v1/status': { ...status, frozen } } })
  const { stdout } = await svcctl(['status'], { env: { SERVICE_API_URL: unit.address } })
  assert.match(stdout, /^frozen\tthe whole unit, by alice: strange\S+ calls$/m)
  assert.ok(!stdout.includes('\u001b'))
})

test('metrics are the text of the unit, or data', async () => {
  await using unit = await startUnit()
  const options = { env: { SERVICE_API_URL: unit.address } }
  assert.match((await svcctl(['metrics'], options)).stdout, /^gatehouse_gateway_held_changes 2$/m)
  const [family] = JSON.parse((await svcctl(['metrics', '--json'], options)).stdout) as [{ type: string; samples: unknown[] }]
  assert.deepEqual(family.samples, [{ name: 'gatehouse_gateway_held_changes', labels: {}, value: 2 }])
})

test('status and doctor name the container engine behind the sandboxes', async () => {
  const sandbox = { ...status.sandbox, driver: 'container', engine: 'podman with runc' }
  await using unit = await startUnit({ answers: { 'GET /v1/status': { ...status, sandbox } } })
  const options = { env: { SERVICE_API_URL: unit.address } }
  assert.match((await svcctl(['status'], options)).stdout, /^sandbox\tcontainer \(podman with runc\) ok/m)
  assert.match((await svcctl(['doctor'], options)).stdout, /sandbox\twarn\tcontainer \(podman with runc\)/)
})
