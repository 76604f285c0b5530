// Sessions: opened once, numbered for good, and the voice of an agent that may ask for little.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeID, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { breakable } from '../fixtures/breakable.ts'
import { carry, createGroup, decide, fails, read, submit } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'

let unit = await openTestUnit({ boot: { identities: { uid: 100_000, gid: 200_000 } } })
await createGroup(unit, 'a')
await createGroup(unit, 'b')
await putServer(unit, 'sample')

const ask = async (session: string, [kind, asked]: readonly [kind: string, after: unknown], reason?: string) =>
  unit.gateway.runner.submitFor({ session: v.parse(SessionID, session), kind, after: asked, reason }, context)

test('one session per group and conversation, also when many ask at once', async () => {
  unit.heard.length = 0
  const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(unit, 'a', 'busy')))
  assert.equal(new Set(sessions.map((session) => session.id)).size, 1)
  assert.notEqual((await openSession(unit, 'b', 'busy')).id, sessions[0]?.id)
  assert.deepEqual(
    unit.heard.map((item) => `${item.by} ${item.event}`),
    ['broker session-opened', 'broker session-opened'],
  )
})

test('a session of an unknown group is not opened', async () => {
  assert.equal((await fails(openSession(unit, 'nobody'))).code, 'not-found')
})

test('host ids belong to one group and one session, and are not given again', async () => {
  const one = await openSession(unit, 'a', 'ids-1')
  const two = await openSession(unit, 'a', 'ids-2')
  const other = await openSession(unit, 'b', 'ids-1')
  assert.equal(one.identity?.uid, two.identity?.uid)
  assert.notEqual(one.identity?.uid, other.identity?.uid)
  assert.notEqual(one.identity?.gid, two.identity?.gid)
  await unit.gateway.runner.closeSession({ session: two.id }, context)
  const again = await openSession(unit, 'a', 'ids-2')
  assert.notEqual(again.id, two.id)
  assert.ok((again.identity?.gid ?? 0) > (other.identity?.gid ?? 0))
})

test('a closed session is nobody any more', async () => {
  const session = await openSession(unit, 'a', 'closing')
  unit.heard.length = 0
  await unit.gateway.runner.closeSession({ session: session.id }, context)
  assert.deepEqual(unit.heard, [{ by: 'broker', event: 'session-closed', payload: { session: session.id } }])
  assert.equal((await fails(() => unit.gateway.runner.closeSession({ session: session.id }, context))).code, 'not-found')
  assert.equal((await fails(() => unit.gateway.runner.session({ session: session.id }, context))).code, 'not-found')
  assert.equal((await fails(ask(session.id, ['mcp_access', { server: 'sample', tools: [] }]))).code, 'not-found')
  assert.equal((await fails(() => unit.gateway.broker.surfaceReady({ session: session.id, surface: 'tools' }, context))).code, 'not-found')
  const verdict = await unit.gateway.broker.authorize({ session: session.id, server: 'sample', tool: 'echo' }, context)
  assert.deepEqual(verdict, { allowed: false, agentGroupID: null, code: 'not-granted' })
  assert.ok(!(await unit.gateway.broker.sessions({}, context)).some((item) => item.session === session.id))
})

test('a surface that stands is told to the runner, and forgotten when the gateway starts again', async () => {
  const session = await openSession(unit, 'a', 'surface')
  assert.deepEqual([session.expected, session.reported], [['tools'], []])
  await unit.gateway.broker.surfaceReady({ session: session.id, surface: 'tools' }, context)
  assert.deepEqual(unit.heard.at(-1), { by: 'runner', event: 'surface-ready', payload: { session: session.id } })
  const known = await unit.gateway.runner.session({ session: session.id }, context)
  assert.deepEqual(known.session.reported, ['tools'])
  assert.equal(known.group.id, 'a')
  await unit.close()
  unit = await openUnit({ dir: unit.dir, boot: { identities: { uid: 100_000, gid: 200_000 } } })
  assert.deepEqual(await openSession(unit, 'a', 'surface'), session)
})

test('who has not reported its surface is told of the session again at each launch, and then no more', async () => {
  const session = await openSession(unit, 'a', 'told-again')
  const launch = async () => {
    unit.heard.length = 0
    await unit.gateway.runner.session({ session: session.id }, context)
    return unit.heard.map(({ by, event, payload }) => `${by} ${event} ${(payload as { session: string }).session}`)
  }
  const again = [`broker session-opened ${session.id}`]
  assert.deepEqual([await launch(), await launch()], [again, again])
  await unit.gateway.broker.surfaceReady({ session: session.id, surface: 'tools' }, context)
  assert.deepEqual(await launch(), [])
})

test('a session whose end cannot be written stays as it was, and so do the others', async () => {
  const { fault, wrap } = breakable()
  const own = await openUnit({ store: wrap })
  await createGroup(own, 'a')
  const [one, two] = [await openSession(own, 'a', 'one'), await openSession(own, 'a', 'two')]
  await own.gateway.broker.surfaceReady({ session: one.id, surface: 'tools' }, context)
  fault.broken = 1
  assert.equal((await fails(() => own.gateway.runner.closeSession({ session: two.id }, context))).code, 'unavailable')
  assert.deepEqual((await openSession(own, 'a', 'one')).reported, ['tools'])
  assert.equal((await openSession(own, 'a', 'two')).id, two.id)
  await own.close()
  await removeDirectory(own.dir)
})

test('without tool servers no surface is expected, and without root there are no host ids', async () => {
  const bare = await openUnit({ boot: { catalog: null } })
  await createGroup(bare, 'a')
  const session = await openSession(bare, 'a')
  assert.deepEqual(session.expected, [])
  assert.equal('identity' in session, false)
  await bare.close()
  await removeDirectory(bare.dir)
})

test('an agent asks as itself, and hears what became of it', async () => {
  const session = await openSession(unit, 'a', 'asking')
  const { id } = await ask(session.id, ['mcp_access', { server: 'sample', tools: ['echo'] }], 'to echo')
  const change = await read(unit, id)
  assert.equal(change.requestedBy, 'agent:a')
  assert.equal(change.principal, `session:${session.id}`)
  assert.equal(change.agentGroupID, 'a')
  assert.equal((await audit(unit)).at(-1)?.edge, 'runner')
  await decide(unit, [id, 'approve'])
  assert.deepEqual(unit.heard.at(-1), {
    by: 'runner',
    event: 'change-decided',
    payload: { session: session.id, id, state: 'applied', kind: 'mcp_access' },
  })
  const rejected = await ask(session.id, ['mcp_access', { server: 'sample', tools: [] }])
  await decide(unit, [rejected.id, 'reject'], { reason: 'no' })
  assert.deepEqual(unit.heard.at(-1), {
    by: 'runner',
    event: 'change-decided',
    payload: { session: session.id, id: rejected.id, state: 'rejected', kind: 'mcp_access', reason: 'no' },
  })
  assert.deepEqual(await unit.gateway.runner.changeFor({ session: session.id, id: rejected.id }, context), {
    id: rejected.id,
    state: 'rejected',
    reason: 'no',
  })
})

test('an agent takes its own request back, as often as it likes, and nobody can approve it afterwards', async () => {
  const session = await openSession(unit, 'a', 'withdrawing')
  const { id } = await ask(session.id, ['mcp_access', { server: 'sample', tools: ['take-back'] }])
  const withdraw = async (by = session.id) => unit.gateway.runner.withdrawFor({ session: by, id, reason: 'no longer needed' }, context)
  assert.deepEqual(await withdraw(), { id, state: 'withdrawn', reason: 'no longer needed' })
  assert.deepEqual(unit.heard.at(-1)?.payload, {
    session: session.id,
    id,
    state: 'withdrawn',
    kind: 'mcp_access',
    reason: 'no longer needed',
  })
  const lines = (await audit(unit)).length
  assert.equal((await withdraw()).state, 'withdrawn')
  const journal = await audit(unit)
  assert.equal(journal.length, lines)
  const line = journal.findLast(({ stage }) => stage === 'withdraw')
  assert.deepEqual([line?.edge, line?.principal, line?.by], ['runner', `session:${session.id}`, 'agent:a'])
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
})

test('an agent takes back nothing that is decided, or that somebody else asked for', async () => {
  const session = await openSession(unit, 'a', 'meddling')
  const withdraw = (id: string) => fails(() => unit.gateway.runner.withdrawFor({ session: session.id, id: v.parse(ChangeID, id) }, context))
  const own = await ask(session.id, ['mcp_access', { server: 'sample', tools: ['decided'] }])
  await decide(unit, [own.id, 'reject'], { decidedBy: 'ada' })
  const refused = await withdraw(own.id)
  assert.deepEqual([refused.code, refused.message.includes('ada'), refused.extra], ['change-already-decided', false, undefined])
  const neighbour = await openSession(unit, 'a', 'neighbour')
  const others = [
    [(await ask(neighbour.id, ['tools', { enabled: [] }])).id, 'forbidden'],
    [(await submit(unit, ['persona', 'a', { instructions: 'of a person' }])).id, 'forbidden'],
    [(await submit(unit, ['persona', 'b', { instructions: 'of another group' }])).id, 'not-found'],
    ['chg_20260101000000.000000000', 'not-found'],
  ] as const
  for (const [id, code] of others) assert.equal((await withdraw(id)).code, code)
  for (const [id] of others.slice(0, 3)) assert.equal((await read(unit, id)).state, 'held')
  const closed = await openSession(unit, 'a', 'left')
  const { id } = await ask(closed.id, ['mcp_access', { server: 'sample', tools: ['left'] }])
  await unit.gateway.runner.closeSession({ session: closed.id }, context)
  assert.equal((await fails(() => unit.gateway.runner.withdrawFor({ session: closed.id, id }, context))).code, 'not-found')
})

test('an agent may not ask for more than its kinds, nor see the changes of others', async () => {
  const session = await openSession(unit, 'a', 'greedy')
  for (const [kind, asked] of [
    ['persona', { instructions: 'obey me' }],
    ['agent_create', { id: 'a2', name: 'x', agent: 'mock' }],
    ['mcp_revoke', { server: 'sample' }],
  ] as const) {
    assert.equal((await fails(ask(session.id, [kind, asked]))).code, 'forbidden')
  }
  assert.equal((await fails(ask(session.id, ['sudo', {}]))).code, 'invalid')
  const error = await fails(ask(session.id, ['mcp_access', { server: 'absent', tools: [] }]))
  assert.equal(error.extra?.['rule'], 'server-not-configured')
  assert.equal((await fails(ask(session.id, ['mcp_access', { server: 'sample', tools: [] }], 'x'.repeat(4097)))).code, 'invalid')
  const foreign = await submit(unit, ['persona', 'b', { instructions: 'x' }])
  assert.equal((await fails(() => unit.gateway.runner.changeFor({ session: session.id, id: foreign.id }, context))).code, 'not-found')
  const nobody = v.parse(ChangeID, 'chg_20260101000000.000000000')
  assert.equal((await fails(() => unit.gateway.runner.changeFor({ session: session.id, id: nobody }, context))).code, 'not-found')
})

test('a group of one session is asked for by its own session alone: grants of another group allow nothing', async () => {
  const mine = await openSession(unit, 'b', 'mine')
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: [] }])
  const verdict = await unit.gateway.broker.authorize({ session: mine.id, server: 'sample', tool: 'echo' }, context)
  assert.deepEqual(verdict, { allowed: false, agentGroupID: 'b', code: 'not-granted' })
})
