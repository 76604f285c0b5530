// The templates for Render, Fly and Railway: fields that the platforms know, one volume of 1 GB at the state directory, a health
// check, one unit without sandboxes, and no secret in a file. They were not run there.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as v from 'valibot'
import { root } from '../files.ts'
import { Fly, folder, Railway, readTemplates, Render } from './templates.ts'

const state = '/var/lib/gatehouse/state'
const page = await readFile(join(root, 'docs/how-to/platforms.md'), 'utf8')

/** What the templates set, by platform; those of Railway stand in the page, since its file takes none. */
const variables = async (): Promise<Record<string, Record<string, string | null>>> => {
  const { render, fly } = await readTemplates()
  const [service] = render.services
  const railway = /^```ini\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
  return {
    render: Object.fromEntries((service?.envVars ?? []).map((each) => [each.key, 'value' in each ? each.value : null])),
    fly: { ...fly.env, SERVICE_API_TOKEN: null },
    railway: {
      ...Object.fromEntries(
        railway
          .trimEnd()
          .split('\n')
          .map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
      ),
      SERVICE_API_TOKEN: null,
    },
  }
}

test('a template has no field that its platform does not know', async () => {
  const { render, fly, railway } = await readTemplates()
  const [service] = render.services
  assert.throws(() => v.parse(Render, { services: [{ ...service, healthcheckPath: '/readyz' }] }), /healthcheckPath/)
  assert.throws(() => v.parse(Fly, { ...fly, volumes: [] }), /volumes/)
  assert.throws(() => v.parse(Railway, { ...railway, deploy: { ...railway.deploy, volume: state } }), /volume/)
})

test('each has one volume, at the state directory, of 1 GB', async () => {
  const { render, fly, railway } = await readTemplates()
  assert.deepEqual(
    render.services.map(({ disk }) => disk),
    [{ name: 'gatehouse-state', mountPath: state, sizeGB: 1 }],
  )
  assert.deepEqual(fly.mounts, [{ source: 'gatehouse_state', destination: state, initial_size: '1gb' }])
  assert.equal(railway.deploy.requiredMountPath, state)
  assert.match(page, /1 GB/)
  for (const [platform, set] of Object.entries(await variables())) assert.equal(set['SERVICE_STATE_DIR'], state, platform)
})

test('no check that goes on restarts or hides a unit that is not ready, and only the one of a deployment asks whether it is', async () => {
  const { render, fly, railway } = await readTemplates()
  assert.deepEqual(
    render.services.map(({ healthCheckPath }) => healthCheckPath),
    ['/healthz'],
  )
  assert.deepEqual(
    fly.http_service.checks.map((check) => check.path),
    ['/healthz'],
  )
  assert.equal(railway.deploy.healthcheckPath, '/readyz')
})

test('each runs one unit without sandboxes', async () => {
  const { render, fly, railway } = await readTemplates()
  assert.deepEqual(
    render.services.map(({ numInstances }) => numInstances),
    [1],
  )
  assert.equal(fly.http_service.force_https, true)
  assert.equal(fly.http_service.auto_stop_machines, 'off')
  assert.deepEqual([railway.deploy.numReplicas, railway.deploy.overlapSeconds], [1, 0])
  for (const [platform, set] of Object.entries(await variables())) {
    assert.equal(set['SERVICE_SANDBOX'], 'off', platform)
    assert.equal(set['SERVICE_API_ADDR'], '0.0.0.0:8787', platform)
    assert.ok(set['SERVICE_PUBLIC_URL'] !== undefined, platform)
    if (platform === 'fly') assert.equal(fly.http_service.internal_port, 8787)
    else assert.equal(set['PORT'], '8787', platform)
  }
})

test('no file holds a secret, and every variable is one of the daemon', async () => {
  const reference = await readFile(join(root, 'docs/reference/configuration.md'), 'utf8')
  for (const [platform, set] of Object.entries(await variables())) {
    assert.equal(set['SERVICE_API_TOKEN'], null, `${platform} has the token in a file`)
    for (const name of Object.keys(set).filter((each) => each.startsWith('SERVICE_')))
      assert.match(reference, new RegExp(`\\b${name}\\b`), `${platform}: ${name}`)
  }
  for (const name of ['render.yaml', 'fly.toml', 'railway.json', 'Dockerfile'])
    assert.doesNotMatch(await readFile(join(folder, name), 'utf8'), /[0-9a-f]{32}|(TOKEN|KEY|SECRET) *= *['"]/i, name)
})

test('the image is the one that is named by its digest', async () => {
  const lines = (await readFile(join(folder, 'Dockerfile'), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(lines.slice(0, 2), ['ARG GATEHOUSE_IMAGE', 'FROM ${GATEHOUSE_IMAGE}'])
  assert.equal((page.match(/GATEHOUSE_IMAGE=\S+@sha256:/g) ?? []).length, 2)
})
