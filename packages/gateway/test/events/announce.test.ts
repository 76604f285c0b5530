// Each act is told to whom it concerns: what, in which order, and nothing to anybody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { News } from '@gatehouse/contracts'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, fails, group, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'
import { allNews, calls, during, newsIn, sequence, withdraw } from './hearing.ts'

const unit = await openTestUnit()
await putServer(unit, 'sample')
await createGroup(unit, 'a')

const approved = async (wanted: Parameters<typeof carry>[1]) => {
  const { id } = await submit(unit, wanted)
  return { id, heard: await during(unit, () => decide(unit, [id, 'approve'])) }
}

const touching: readonly [what: string, wanted: Parameters<typeof carry>[1], broker: readonly string[], narrowing: boolean][] = [
  ['a new group', ['agent_create', 'b', { id: 'b', name: 'b', agent: 'mock' }], [], false],
  ['a persona', ['persona', 'a', { instructions: 'x' }], [], false],
  ['a wiring', ['wiring', 'a', { channel: 'slack', address: 'c1', engage: 'mention', session: 'shared' }], [], false],
  ['a grant', ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }], ['grant-changed {"agentGroupID":"a","server":"sample"}'], false],
  ['a revocation', ['mcp_revoke', 'a', { server: 'sample' }], ['grant-changed {"agentGroupID":"a","server":"sample"}'], true],
]

for (const [what, wanted, broker, narrowing] of touching) {
  test(`${what} is told to the runner, and to the broker where it concerns it`, async () => {
    const { id, heard } = await approved(wanted)
    assert.deepEqual(calls(heard), [
      ...broker.map((event) => `broker ${event}`),
      `runner group-changed ${JSON.stringify({ agentGroupID: wanted[1], changeID: id, narrowing })}`,
    ])
    assert.deepEqual(
      sequence(heard).filter((one) => one.startsWith('news')),
      ['news approve self-approved', 'news apply'],
    )
    assert.match(sequence(heard).at(-1) ?? '', /^runner/, 'news comes before')
  })
}

test('a registration is told to the broker when the catalog has its entry', async () => {
  const { id, heard } = await approved(['mcp_register', 'a', { name: 'fresh', ...stdio }])
  assert.deepEqual(calls(heard), [
    `runner group-changed ${JSON.stringify({ agentGroupID: 'a', changeID: id, narrowing: false })}`,
    'broker catalog-changed {}',
  ])
})

test('a group that is removed ends its sessions and nobody is told that it changed', async () => {
  await createGroup(unit, 'leaving')
  const [one, two, other] = [
    await openSession(unit, 'leaving', '1'),
    await openSession(unit, 'leaving', '2'),
    await openSession(unit, 'a', '3'),
  ]
  const { heard } = await approved(['agent_remove', 'leaving', {}])
  assert.deepEqual(calls(heard), [
    ...[one, two].flatMap(({ id }) => ['broker', 'runner'].map((by) => `${by} session-closed {"session":"${id}"}`)),
    'runner group-removed {"agentGroupID":"leaving"}',
  ])
  await unit.gateway.runner.closeSession({ session: other.id }, context)
})

test('acts that concern nobody but those who watch are news alone', async () => {
  const { controlPlane, runner } = unit.gateway
  const held = await submit(unit, ['persona', 'a', { instructions: 'y' }])
  const other = await submit(unit, ['persona', 'a', { instructions: 'z' }])
  const quiet: readonly [stage: string, act: () => Promise<unknown>][] = [
    ['submit', () => submit(unit, ['persona', 'a', { instructions: 'q' }])],
    ['refuse', () => fails(submit(unit, ['agent_create', 'a', { id: 'a', name: 'a', agent: 'mock' }]))],
    ['reject', () => decide(unit, [held.id, 'reject'])],
    ['withdraw', () => withdraw(unit, other.id)],
    ['token-create', () => mint(unit, { name: 'ann', role: 'auditor' })],
    ['launch', async () => runner.note({ stage: 'launch', agentGroupID: group('a'), detail: {} }, context)],
    ['backup', async () => controlPlane.permit({ token, route: 'backup' }, context)],
  ]
  for (const [stage, act] of quiet) assert.deepEqual(sequence(await during(unit, act)), [`news ${stage}`])
})

test('who is stopped hears of it before the journal is waited for, and of the end once it is written', async () => {
  const { controlPlane } = unit.gateway
  const session = await openSession(unit, 'a', 'doomed')
  const mallory = await mint(unit, { name: 'mallory', role: 'auditor' })
  const stopped = ['broker freeze-changed', 'runner freeze-changed']
  const freeze = async () => controlPlane.freeze({ token, reason: 'alarm' }, context)
  assert.deepEqual(sequence(await during(unit, freeze)), [...stopped, 'news freeze'])
  assert.deepEqual(sequence(await during(unit, freeze)), [], 'what is frozen already is no news')
  assert.deepEqual(sequence(await during(unit, async () => controlPlane.unfreeze({ token, reason: 'over' }, context))), [
    'news unfreeze',
    ...stopped,
  ])
  const terminate = async () => controlPlane.terminate({ token, session: session.id }, context)
  assert.deepEqual(sequence(await during(unit, terminate)), ['broker session-closed', 'runner session-closed', 'news terminate'])
  const heard = await during(unit, async () => controlPlane.revokeToken({ token, name: 'mallory' }, context))
  assert.deepEqual(sequence(heard), ['controlPlane token-revoked', 'news token-revoke'])
  assert.deepEqual(heard[0]?.payload, { token: mallory.token })
})

test('the catalog is told to the broker when the file is written', async () => {
  const put = () => putServer(unit, 'another')
  assert.deepEqual(sequence(await during(unit, put)), ['news catalog-put', 'broker catalog-changed'])
  const remove = async () => unit.gateway.controlPlane.removeServer({ token, name: server('another') }, context)
  assert.deepEqual(sequence(await during(unit, remove)), ['news catalog-delete', 'broker catalog-changed'])
  const reload = async () => unit.gateway.controlPlane.reload({ token }, context)
  assert.deepEqual(sequence(await during(unit, reload)), ['news catalog-reload', 'broker catalog-changed'])
})

test('who hears of a grant finds it true', async () => {
  const { id: session } = await openSession(unit, 'a', 'asking')
  const verdicts: Promise<{ allowed: boolean }>[] = []
  const look = (event: string): void => {
    if (event === 'grant-changed') verdicts.push(authorize(unit, session, ['sample', 'echo']))
  }
  const deaf = { publish: () => undefined }
  const ear = (by: 'controlPlane' | 'broker' | 'runner') => ({
    publish: (event: string, payload: unknown) => void unit.heard.push({ by, event, payload }),
  })
  unit.gateway.subscribers.subscribe({ controlPlane: deaf, broker: { publish: look }, runner: deaf })
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  await carry(unit, ['mcp_revoke', 'a', { server: 'sample' }])
  unit.gateway.subscribers.subscribe({ controlPlane: ear('controlPlane'), broker: ear('broker'), runner: ear('runner') })
  assert.deepEqual(
    (await Promise.all(verdicts)).map(({ allowed }) => allowed),
    [true, false],
  )
})

test('nothing is told of what is refused at the door', async () => {
  const { controlPlane } = unit.gateway
  const weak = await mint(unit, { name: 'weak', role: 'requester' })
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'w' }])
  const refused: readonly (() => Promise<unknown>)[] = [
    () => weak.decide(id, 'approve'),
    () => submit(unit, ['sudo', 'a', {}]),
    () => submit(unit, ['persona', 'nobody', { instructions: 'x' }]),
    () => decide(unit, [id, 'approve'], { digest: 'f'.repeat(64) }),
    async () => controlPlane.unfreeze({ token, reason: 'x' }, context),
    async () => controlPlane.terminate({ token, session: 'ses_aaaaaaaaaaaaa' as never }, context),
    async () => controlPlane.revokeToken({ token, name: 'nobody' }, context),
    async () => controlPlane.permit({ token: weak.token, route: 'backup' }, context),
    async () => controlPlane.preview({ token, submission: { kind: 'persona', agentGroupID: 'a', after: {} } }, context),
  ]
  for (const act of refused) assert.deepEqual(await during(unit, () => fails(act())), [])
  const shown = async () =>
    controlPlane.preview({ token, submission: { kind: 'persona', agentGroupID: 'a', after: { instructions: 'p' } } }, context)
  assert.deepEqual(await during(unit, shown), [], 'a preview is no act')
})

test('the news of a line is the line without its detail, and there is one of each but checkpoints', async () => {
  const told = newsIn(await during(unit, () => carry(unit, ['persona', 'a', { instructions: 'secret text' }])))
  const lines = (await audit(unit)).filter(({ stage }) => stage !== 'checkpoint')
  const bare = lines.map(({ edge: _edge, detail: _detail, prev: _prev, hash: _hash, ...news }): News => news)
  assert.deepEqual(told, bare.slice(-told.length))
  assert.deepEqual(
    told.map(({ stage, principal, by, kind, agentGroupID }) => [stage, principal, by, kind, agentGroupID]),
    [
      ['submit', 'admin', 'api:admin', 'persona', 'a'],
      ['approve', 'admin', 'alice', 'persona', 'a'],
      ['self-approved', 'admin', 'alice', 'persona', 'a'],
      ['apply', 'admin', 'alice', 'persona', 'a'],
    ],
  )
  assert.deepEqual(await allNews(unit), bare)
  assert.ok(!JSON.stringify(told).includes('secret text'))
})
