// Models at the gateway: who has a socket for one, what each request is answered, and who hears when that changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carry, createGroup, fails, submit } from '../fixtures/people.ts'
import { openSession } from '../fixtures/tools.ts'
import { adminToken, context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'

const choice = { provider: 'anthropic', id: 'the-model' }
const heard: string[] = []
const unit = await openTestUnit()
const deaf = { publish: () => undefined }
const publish = (event: string, payload: { session?: string; agentGroupID?: string }): void =>
  void heard.push(`${event} ${payload.agentGroupID ?? ''}`.trim())
unit.gateway.subscribers.subscribe({ controlPlane: deaf, broker: deaf, runner: deaf, modelProxy: { publish } })
await carry(unit, ['agent_create', 'thinker', { id: 'thinker', name: 'Thinker', agent: 'model', model: choice }])
await carry(unit, ['agent_create', 'undecided', { id: 'undecided', name: 'Undecided', agent: 'model', model: choice }])
// As an earlier release could leave a group.
await unit.store.write((tx) => tx.run(`UPDATE groups SET record = json_remove(record, '$.model') WHERE id = 'undecided'`, []))
await createGroup(unit, 'mock')
heard.length = 0

const ask = async (session: Awaited<ReturnType<typeof openSession>>, provider = 'anthropic', model = 'the-model') =>
  unit.gateway.modelProxy.authorizeModel({ session: session.id, provider, model }, context)

test('agents that use a model are launched with a socket for it, and the mock agent is not', async () => {
  const thinker = await openSession(unit, 'thinker', 'surfaces')
  const mock = await openSession(unit, 'mock', 'surfaces')
  assert.deepEqual([thinker.expected, mock.expected], [['tools', 'model'], ['tools']])
  assert.deepEqual(heard, ['session-opened thinker'])
  const told = await unit.gateway.modelProxy.sessions({}, context)
  assert.deepEqual(
    told.map(({ session }) => session),
    [thinker.id],
  )
  await unit.gateway.modelProxy.surfaceReady({ session: thinker.id, surface: 'model' }, context)
  assert.deepEqual((await openSession(unit, 'thinker', 'surfaces')).reported, ['model'])
})

test('a unit without a key for any provider has no sockets for models', async () => {
  const keyed = await openUnit({ boot: { catalog: null } })
  await carry(keyed, ['agent_create', 'thinker', { id: 'thinker', name: 'Thinker', agent: 'model', model: choice }])
  await keyed.close()
  const bare = await openUnit({ dir: keyed.dir, boot: { models: [], catalog: null } })
  assert.deepEqual((await openSession(bare, 'thinker')).expected, [])
  await bare.close()
  await removeDirectory(bare.dir)
})

test('only the approved model of the approved provider is allowed, with what the group may take', async () => {
  const session = await openSession(unit, 'thinker')
  assert.deepEqual(await ask(session), { allowed: true, agentGroupID: 'thinker', powers: [] })
  for (const [provider, model] of [
    ['openai', 'the-model'],
    ['anthropic', 'another'],
    ['anthropic', 'The-Model'],
    ['', ''],
  ] as const) {
    const verdict = await ask(session, provider, model)
    assert.ok(!verdict.allowed && verdict.code === 'model-refused' && verdict.reason.includes('the-model from anthropic'))
  }
  for (const other of [await openSession(unit, 'undecided'), await openSession(unit, 'mock')]) {
    const verdict = await ask(other)
    assert.ok(!verdict.allowed && verdict.code === 'model-refused')
  }
})

test('an approved change of permissions holds from the next request on, and is told to whoever lends models', async () => {
  const session = await openSession(unit, 'thinker')
  heard.length = 0
  await carry(unit, ['permissions', 'thinker', { limits: { modelTokensPerDay: 1000 }, providerTools: ['web_search'] }])
  assert.deepEqual(heard, ['permissions-changed thinker'])
  assert.deepEqual(await ask(session), { allowed: true, agentGroupID: 'thinker', powers: ['web_search'], tokensPerDay: 1000 })
  await carry(unit, ['permissions', 'thinker', { model: { provider: 'openai', id: 'other' } }])
  assert.equal((await ask(session)).allowed, false)
  const holding = await unit.gateway.modelProxy.holding({ session: session.id }, context)
  assert.deepEqual(holding, {
    agentGroupID: 'thinker',
    frozen: false,
    model: { provider: 'openai', id: 'other' },
    powers: ['web_search'],
    tokensPerDay: 1000,
  })
  await carry(unit, ['permissions', 'thinker', { model: choice }])
})

test('a freeze, of the unit or the group, refuses and is told; a session that has ended is nobody', async () => {
  const session = await openSession(unit, 'thinker', 'ending')
  heard.length = 0
  for (const scope of [{}, { agentGroupID: session.agentGroupID }]) {
    await unit.gateway.controlPlane.freeze({ token: adminToken, reason: 'a drill', ...scope }, context)
    const verdict = await ask(session)
    assert.ok(!verdict.allowed && verdict.code === 'frozen')
    assert.equal((await unit.gateway.modelProxy.holding({ session: session.id }, context)).frozen, true)
    await unit.gateway.controlPlane.unfreeze({ token: adminToken, reason: 'over', ...scope }, context)
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 4 }, () => 'freeze-changed'),
  )
  assert.equal((await ask(session)).allowed, true)
  await unit.gateway.runner.closeSession({ session: session.id }, context)
  const verdict = await ask(session)
  assert.ok(!verdict.allowed && verdict.code === 'revoked' && verdict.agentGroupID === null)
})

test('refuses a provider without a key, and a tool of providers that nobody knows', async () => {
  const elsewhere = await fails(
    submit(unit, ['agent_create', 'far', { id: 'far', name: 'Far', agent: 'model', model: { provider: 'groq', id: 'x' } }]),
  )
  assert.equal(elsewhere.code, 'change-refused')
  assert.match(elsewhere.detail ?? '', /anthropic, openai/)
  for (const after of [{ model: { provider: 'groq', id: 'x' } }, { providerTools: ['anything'] }])
    assert.equal((await fails(submit(unit, ['permissions', 'thinker', after]))).code, 'change-refused')
})
