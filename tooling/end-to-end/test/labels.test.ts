// One token for everybody, as on a small installation: labels say who asked and who decided, and one person may do both.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { post } from '../src/http.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { startUnit, type Unit } from '../src/unit.ts'

const token = 'c'.repeat(64)
let unit: Unit
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'off'], env: { SERVICE_API_TOKEN: token }, token })
})
after(() => unit.dispose())

const svcctl = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runSvcctl(args, { address: unit.address, token, home: unit.stateDir, env: { NO_COLOR: '1' } })
  assert.equal(code, 0, stderr)
  return stdout
}

const principals = async (id: string) =>
  (await unit.client.audit.list({ limit: 200 })).items
    .filter(({ changeID }) => changeID === id)
    .map(({ stage, principal, by }) => [stage, principal, by])
    .toReversed()

test('a change submitted, listed and approved at the command line bears the labels that were given there', async () => {
  const id = await svcctl('change', 'submit', 'persona', '--group', 'dev-agent', '--text', 'Be brief.', '--as', 'ann')
  assert.match(await svcctl('change', 'pending'), new RegExp([id, 'persona', 'dev-agent', 'cli:ann', ''].join('\t')))
  await svcctl('change', 'approve', id, '--by', 'bob', '--yes')
  const change = await unit.client.changes.show(id)
  assert.equal(change.state, 'applied')
  assert.equal(change.requestedBy, 'cli:ann')
  assert.deepEqual(
    change.decisions.map(({ outcome, by, principal }) => [outcome, by, principal]),
    [['approve', 'bob', 'admin']],
  )
  assert.deepEqual(await principals(id), [
    ['submit', 'admin', 'cli:ann'],
    ['approve', 'admin', 'bob'],
    ['self-approved', 'admin', 'bob'],
    ['apply', 'admin', 'bob'],
  ])
})

test('a change sent with requestedBy keeps that label, and a rejection by another changes nothing', async () => {
  const body = { kind: 'persona', agentGroupID: 'dev-agent', requestedBy: 'cli:carol', after: { instructions: 'Be loud.' } }
  const sent = await post(`${unit.address}/v1/ui/config/change`, body, { authorization: `Bearer ${token}` })
  assert.equal(sent.status, 202, sent.text)
  const id = String(sent.json?.['id'])
  await svcctl('change', 'reject', id, '--by', 'dave')
  const change = await unit.client.changes.show(id)
  assert.deepEqual([change.state, change.requestedBy, change.decisions.at(-1)?.by], ['rejected', 'cli:carol', 'dave'])
  assert.match(await svcctl('change', 'history'), new RegExp(`${id}.*rejected`))
})
