// svcctl onboard: what is there is passed over, what is broken off goes on, and nothing is approved that was not shown.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { change, changeView, hostile, probe, status } from '../contents.ts'
import { type Asked, startUnit } from '../fake-unit.ts'
import { type Ended, svcctl, svcctlAtTerminal } from '../svcctl.ts'

const none = { items: [] }
const steps = (ended: Ended): Record<string, string> =>
  Object.fromEntries(ended.stdout.split('\n').map((line): [string, string] => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']))
const changing = (asked: readonly Asked[]): string[] =>
  asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)

/** A unit with nothing in it, in which a change that is approved comes true. */
const bare = (problems = {}) => {
  const answers: Record<string, unknown> = {
    'GET /v1/agent-groups': none,
    'GET /v1/grants': none,
    'GET /v1/changes/pending': none,
    'POST /v1/registry/mcp-servers/sample/probe': { ...probe, tools: ['echo', 'add'].map((name) => ({ ...probe.tools[0], name })) },
  }
  const held: Record<string, unknown>[] = []
  const hear = ({ method, path, body }: Asked): void => {
    if (`${method} ${path}` === 'POST /v1/changes') {
      held.push({ ...change, principal: status.principal.name, ...(body as object) })
      answers['GET /v1/changes/pending'] = { items: held }
    }
    if (path.endsWith('/decision')) {
      const [decided] = held.splice(0)
      answers['GET /v1/changes/pending'] = none
      if (decided?.['kind'] === 'agent_create') answers['GET /v1/agent-groups'] = { items: [{ ...group, id: decided['agentGroupID'] }] }
    }
  }
  return { answers, problems, hear, held }
}
const group = {
  id: 'my-agent',
  name: 'my-agent',
  agent: 'mock',
  persona: '',
  tools: [],
  members: [],
  limits: {},
  providerTools: [],
  mounts: [],
  createdAt: '2026-01-02T03:04:05.000Z',
  origin: 'seed',
}

test('has nothing to do where everything is there, and alters nothing', async () => {
  await using unit = await startUnit()
  const ended = await svcctl(['onboard', '--yes'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0, ended.stderr)
  assert.deepEqual(
    Object.values(steps(ended)).filter((state) => !['done', 'left', ''].includes(state)),
    [],
  )
  assert.deepEqual(changing(unit.asked), [])
})

test('says what it would do, and does none of it, with --dry-run', async () => {
  await using unit = await startUnit(bare())
  const ended = await svcctl(['onboard', '--dry-run'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0, ended.stderr)
  assert.deepEqual([steps(ended)['agent'], steps(ended)['approval']], ['would', 'would'])
  assert.deepEqual(changing(unit.asked), [])
})

test('makes an agent and gives it a tool, each by a change that is approved as it was shown', async () => {
  await using unit = await startUnit(bare())
  const ended = await svcctl(['onboard', '--yes', '--json'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0, ended.stderr)
  const { complete, group: made } = JSON.parse(ended.stdout) as { complete: boolean; group: string }
  assert.deepEqual([complete, made], [true, 'my-agent'])
  const bodies = unit.asked.filter(({ path }) => path === '/v1/changes').map(({ body }) => body as Record<string, unknown>)
  assert.deepEqual(
    bodies.map(({ kind, agentGroupID, after }) => [kind, agentGroupID, after]),
    [
      ['agent_create', 'my-agent', { id: 'my-agent', name: 'my-agent', agent: 'mock' }],
      ['mcp_access', 'my-agent', { server: 'sample', tools: ['echo'] }],
    ],
  )
  for (const { body } of unit.asked.filter(({ path }) => path.endsWith('/decision')))
    assert.equal((body as { digest: string }).digest, change.digest)
})

test('takes nothing for its own that somebody else asked for', async () => {
  const options = bare()
  const planted = {
    ...change,
    kind: 'agent_create',
    agentGroupID: 'theirs',
    principal: 'mallory',
    requestedBy: `cli:${userInfo().username}`,
  }
  const mask = { ...planted, agentGroupID: 'my-agent', after: { id: 'my-agent', name: '••••', agent: 'mock' } }
  options.answers['GET /v1/changes/pending'] = { items: [planted, mask] }
  await using unit = await startUnit(options)
  const ended = await svcctl(['onboard', '--yes', '--json'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal((JSON.parse(ended.stdout) as { group: string }).group, 'my-agent')
  const submitted = unit.asked.filter(({ method, path }) => method === 'POST' && path === '/v1/changes').map(({ body }) => body)
  assert.deepEqual(
    submitted.map((body) => (body as { kind: string }).kind),
    ['agent_create', 'mcp_access'],
  )
})

test('leaves to others what this token may not approve, and asks for it once', async () => {
  const options = bare({ [`POST /v1/changes/${change.id}/decision`]: 'self-approval' })
  await using unit = await startUnit({ ...options, hear: (asked) => (asked.path.endsWith('/decision') ? undefined : options.hear(asked)) })
  for (let run = 0; run < 2; run += 1) {
    const ended = await svcctl(['onboard', '--yes'], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(ended.code, 0, ended.stderr)
    assert.match(ended.stdout, new RegExp(`^agent\\twaits\\t.*\\tsvcctl change approve ${change.id} --by NAME$`, 'm'))
  }
  assert.equal(unit.asked.filter(({ method, path }) => method === 'POST' && path === '/v1/changes').length, 1)
})

test('is broken off by Ctrl-C at each question, and goes on behind what was done', async () => {
  const options = bare()
  await using unit = await startUnit(options)
  const env = { SERVICE_API_URL: unit.address, NO_COLOR: '1' }
  const first = await svcctlAtTerminal(['onboard'], { env, typed: [['Name of your first agent', '\u0003']] })
  assert.equal(first.code, 130)
  assert.deepEqual(changing(unit.asked), [])
  const second = await svcctlAtTerminal(['onboard'], {
    env,
    typed: [
      ['first agent', 'mine\r'],
      ['Its model', '\r'],
      ['Approve chg_', '\u0003'],
    ],
  })
  assert.equal(second.code, 130, second.stdout)
  assert.deepEqual(changing(unit.asked), ['POST /v1/changes'])
  const third = await svcctlAtTerminal(['onboard'], {
    env,
    typed: [
      ['Approve chg_', 'y\r'],
      ['Tool of sample', 'add\r'],
      ['Approve chg_', 'n\r'],
    ],
  })
  assert.equal(third.code, 0, third.stdout)
  assert.match(third.stdout, /✓ agent +the agent group mine is there/)
  assert.match(third.stdout, /… approval +mine may call sample__add, once it is approved/)
})

test('says what to type where the unit is down or asks for a token', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'svcctl-onboard-'))
  t.after(() => rmSync(home, { recursive: true }))
  await using unit = await startUnit({ token: 'right', problems: {} })
  const env = { SERVICE_API_URL: unit.address, HOME: home }
  assert.match((await svcctl(['onboard', '--yes'], { env })).stderr, /Try: export SERVICE_API_TOKEN_FILE=/)
  const state = join(home, '.local/state/gatehouse-dev')
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'admin-token'), 'right\n')
  chmodSync(join(state, 'admin-token'), 0o600)
  const told = await svcctl(['onboard', '--yes'], { env: { ...env, SERVICE_API_TOKEN: 'wrong' } })
  assert.equal(told.code, 3)
  const line = /Try: export (SERVICE_API_TOKEN_FILE)=(\S+)\n/.exec(told.stderr)
  assert.equal((await svcctl(['onboard', '--dry-run'], { env: { ...env, [line?.[1] ?? '']: line?.[2] ?? '' } })).code, 0)
  assert.ok(!told.stderr.includes('right'))
  await unit.close()
  const down = await svcctl(['onboard', '--yes'], { env })
  assert.equal(down.code, 9)
  assert.match(down.stderr, /Try: start it with /)
})

test('asks nobody in a pipe', async () => {
  const ended = await svcctl(['onboard'])
  assert.equal(ended.code, 2)
  assert.match(ended.stderr, /Try: svcctl onboard --yes, or --dry-run/)
})

test('goes on where no server answers and no sandbox can be launched, and shows nothing that a terminal obeys', async () => {
  const options = bare({ 'POST /v1/registry/mcp-servers/sample/probe': 'upstream-failed' })
  options.answers['GET /v1/status'] = { ...status, sandbox: { driver: 'oci', status: 'refused', missing: [], reason: hostile } }
  options.answers[`GET /v1/changes/${change.id}`] = { ...changeView, summary: hostile }
  await using unit = await startUnit(options)
  const ended = await svcctlAtTerminal(['onboard', '--yes'], { env: { SERVICE_API_URL: unit.address, NO_COLOR: '1' } })
  assert.equal(ended.code, 0, ended.stdout)
  assert.match(ended.stdout, /! engine +no sandbox can be launched/)
  assert.match(ended.stdout, /! approval +sample could not be asked for its tools/)
  assert.doesNotMatch(ended.stdout, /[\u001b\u202e\u009b]/)
})
