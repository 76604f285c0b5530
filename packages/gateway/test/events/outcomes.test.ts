// What becomes of a request reaches the session that made it, once, whatever its end, and over a restart; and is counted once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { openSession, putServer, server } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { type Gated, openGated } from '../ledger/gates.ts'
import { becomesWhole } from '../ledger/urgent.ts'
import { ask, askForAccess, calls, decisionsIn, during } from './hearing.ts'

let now = Date.UTC(2040, 10, 20)
let unit: Unit
let asking: string
let other: string
const open = async (dir?: string) => {
  unit = await openUnit({ clock: () => now, ...(dir === undefined ? {} : { dir }) })
  if (dir === undefined) await createGroup(unit, 'a')
  asking = (await openSession(unit, 'a', 'asking')).id
  other = (await openSession(unit, 'a', 'other')).id
}
before(() => open())
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const outcome = async (id: string) => unit.gateway.runner.changeFor({ session: asking as never, id: id as never }, context)
const expire = async (): Promise<void> => {
  now += limits.changeTtl + 1
  await unit.close()
  await open(unit.dir)
}

test('each end of a request is told to the session that made it, to no other, with its reason', async () => {
  const told = async (id: string, act: () => Promise<unknown>) => {
    const heard = decisionsIn(await during(unit, act))
    assert.equal(heard.length, 1)
    assert.deepEqual([heard[0]?.session, heard[0]?.id, heard[0]?.kind], [asking, id, 'mcp_access'])
    assert.equal((await outcome(id)).state, heard[0]?.state)
    return [heard[0]?.state, heard[0]?.reason]
  }
  const rejected = await askForAccess(unit, asking)
  assert.deepEqual(await told(rejected.id, () => decide(unit, [rejected.id, 'reject'], { reason: 'no' })), ['rejected', 'no'])
  const applied = await askForAccess(unit, asking)
  assert.deepEqual(await told(applied.id, () => decide(unit, [applied.id, 'approve'])), ['applied', undefined])
  await putServer(unit, 'leaving')
  const failing = await ask(unit, asking, ['mcp_access', { server: 'leaving', tools: [] }])
  await unit.gateway.controlPlane.removeServer({ token, name: server('leaving') }, context)
  const [state, reason] = await told(failing.id, () => decide(unit, [failing.id, 'approve']))
  assert.equal(state, 'apply_failed')
  assert.equal(reason, (await read(unit, failing.id)).failure?.reason)
})

test('a request that is held, or approved and not applied yet, is no outcome', async () => {
  const { controlPlane } = unit.gateway
  await controlPlane.freeze({ token, reason: 'wait' }, context)
  const heard = await during(unit, async () => {
    const { id } = await askForAccess(unit, asking)
    assert.equal((await decide(unit, [id, 'approve'])).state, 'approved')
  })
  assert.deepEqual(decisionsIn(heard), [])
  unit.heard.length = 0
  await controlPlane.unfreeze({ token, reason: 'go on' }, context)
  await waitFor(() => decisionsIn(unit.heard).length > 0, { what: 'the outcome' })
  assert.deepEqual(
    decisionsIn(unit.heard).map(({ session, state }) => [session, state]),
    [[asking, 'applied']],
  )
})

test('requests of people are told to no session', async () => {
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  const heard = await during(unit, () => decide(unit, [id, 'reject']))
  assert.deepEqual(calls(heard), [])
})

test('each session hears of its own request, also if both are decided at once', async () => {
  const requests = [await askForAccess(unit, asking), await askForAccess(unit, other), await askForAccess(unit, asking)]
  const heard = await during(unit, () => Promise.all(requests.map(({ id }) => decide(unit, [id, 'reject']))))
  assert.deepEqual(
    decisionsIn(heard)
      .map(({ session, id }) => `${session} ${id}`)
      .toSorted(),
    [`${asking} ${requests[0]?.id}`, `${other} ${requests[1]?.id}`, `${asking} ${requests[2]?.id}`].toSorted(),
  )
})

test('a request that was refused at once is told with the rule that refused it', async () => {
  const heard = await during(unit, () => fails(ask(unit, asking, ['mcp_access', { server: 'absent', tools: [] }])))
  const [told, ...more] = decisionsIn(heard)
  assert.deepEqual(more, [])
  assert.deepEqual([told?.session, told?.state], [asking, 'refused'])
  assert.ok(told?.reason)
})

for (const end of ['close', 'drop'] as const) {
  test(`a request outlives a gateway that ends by ${end}: who asked before hears after, and can ask what was decided before`, async () => {
    const before = await askForAccess(unit, asking)
    const later = await askForAccess(unit, asking)
    await decide(unit, [before.id, 'reject'], { reason: 'not now' })
    await unit[end]()
    const session = asking
    await open(unit.dir)
    assert.equal(asking, session)
    assert.deepEqual(decisionsIn(unit.heard), [], 'what was told before is not told again')
    assert.deepEqual(await outcome(before.id), { id: before.id, state: 'rejected', reason: 'not now' })
    const heard = await during(unit, () => decide(unit, [later.id, 'approve']))
    assert.deepEqual(
      decisionsIn(heard).map(({ session: one, id, state }) => [one, id, state]),
      [[session, later.id, 'applied']],
    )
  })
}

test('a request whose time is over is told as expired', async () => {
  const { id } = await askForAccess(unit, asking)
  await expire()
  assert.deepEqual(
    decisionsIn(unit.heard).map((told) => [told.session, told.id, told.state]),
    [[asking, id, 'expired']],
  )
  assert.equal((await outcome(id)).state, 'expired')
})

const counted = async ({ gateway }: Unit, kind: string): Promise<Record<string, number>> => {
  const metrics = (await gateway.supervisor.metrics({}, context)) as {
    name: string
    values: { value: number; labels: Record<string, string> }[]
  }[]
  const values = metrics.find(({ name }) => name === 'gatehouse_gateway_decisions_total')?.values ?? []
  return Object.fromEntries(values.filter(({ labels }) => labels['kind'] === kind).map(({ value, labels }) => [labels['outcome'], value]))
}

test('each outcome is counted once, late or not, and where a transaction was written although it failed', async () => {
  const gated: Gated = await openGated()
  await createGroup(gated, 'a')
  const ids: string[] = []
  for (const instructions of ['1', '2', '3', '4']) ids.push((await submit(gated, ['persona', 'a', { instructions }])).id)
  const [late = '', both = '', forgotten = '', plain = ''] = ids
  const none = { refused: 0, rejected: 0, withdrawn: 0, expired: 0, applied: 0, apply_failed: 0 }
  assert.deepEqual(await counted(gated, 'persona'), none)
  await decide(gated, [plain, 'reject'])
  gated.gates.journal.set('shut')
  await decide(gated, [late, 'reject'])
  assert.deepEqual(await counted(gated, 'persona'), { ...none, rejected: 2 })
  gated.gates.database.set('shut')
  await decide(gated, [both, 'reject'])
  gated.gates.database.set('open')
  gated.gates.journal.set('open')
  await becomesWhole(gated)
  await waitFor(async () => (await counted(gated, 'persona'))['rejected'] === 3, { what: 'the third' })
  gated.gates.database.set('forgetful')
  await decide(gated, [forgotten, 'approve'])
  gated.gates.database.set('open')
  assert.deepEqual(await counted(gated, 'persona'), { ...none, rejected: 3, applied: 1 })
  await gated.close()
  await removeDirectory(gated.dir)
})
