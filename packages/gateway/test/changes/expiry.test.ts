// A held change that nobody decides ends, and no clock brings it back.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { limits } from '@gatehouse/contracts'
import { createGroup, decide, fails, groups, read, submit, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

const ttl = 60 * 60_000
let now = Date.now()
const options = { clock: () => now, boot: { changeTtl: ttl } }
let unit = await openTestUnit(options)
await createGroup(unit, 'g')

const hold = async (): Promise<string> => (await submit(unit, ['persona', 'g', { instructions: `at ${now}` }])).id
const again = async (): Promise<void> => {
  await unit.close()
  unit = await openUnit({ ...options, dir: unit.dir })
}

test('says when it ends, and can be decided until then', async () => {
  const id = await hold()
  const change = await read(unit, id)
  assert.equal(Date.parse(change.expiresAt ?? '') - Date.parse(change.createdAt), ttl)
  now += ttl - 1
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
})

for (const outcome of ['approve', 'reject'] as const) {
  test(`is expired when somebody would ${outcome} it too late, journaled once`, async () => {
    const id = await hold()
    now += ttl
    for (let turn = 0; turn < 2; turn += 1) {
      const error = await fails(decide(unit, [id, outcome]))
      assert.equal(error.code, 'change-already-decided')
      assert.match(error.detail, /was expired by gateway/)
    }
    assert.equal((await read(unit, id)).state, 'expired')
    assert.deepEqual(await stages(unit, id), ['submit', 'expire'])
  })
}

test('of ten who decide too late all learn that it has expired, and one line is written', async () => {
  const id = await hold()
  now += ttl
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => decide(unit, [id, 'approve'])))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.deepEqual(await stages(unit, id), ['submit', 'expire'])
})

test('cannot be withdrawn too late', async () => {
  const id = await hold()
  now += ttl
  assert.equal(
    (await fails(async () => unit.gateway.controlPlane.withdraw({ token, id: id as never }, context))).code,
    'change-already-decided',
  )
})

test('a clock that steps back revives nothing', async () => {
  const id = await hold()
  now += ttl
  await hold()
  now -= 10 * ttl
  await fails(decide(unit, [id, 'approve']))
  assert.equal((await read(unit, id)).state, 'expired')
  await again()
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
  assert.ok(!(await groups(unit)).some(({ persona }) => persona === `at ${now + 9 * ttl}`))
  now += 10 * ttl
})

test('time that has passed counts though nobody was told of it before the clock stepped back', async () => {
  const id = await hold()
  now += ttl
  await createGroup(unit, `seen-${now}`)
  now -= 2 * ttl
  assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
  now += 2 * ttl
})

test('ends while the gateway is down, and at its next start', async () => {
  const id = await hold()
  await unit.close()
  now += 2 * ttl
  unit = await openUnit({ ...options, dir: unit.dir })
  assert.equal((await read(unit, id)).state, 'expired')
  assert.deepEqual(await stages(unit, id), ['submit', 'expire'])
})

test('ends by itself while the gateway runs', async () => {
  await unit.close()
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    unit = await openUnit({ ...options, dir: unit.dir })
    const [one, two] = [await hold(), await hold()]
    now += ttl
    mock.timers.tick(limits.expirySweep)
    mock.timers.reset()
    for (const id of [one, two]) await waitFor(async () => (await read(unit, id)).state === 'expired', { what: 'the change to expire' })
  } finally {
    mock.timers.reset()
  }
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'expire')
  assert.deepEqual([line?.principal, line?.edge], ['gateway', 'gateway'])
})

test('a jump far ahead and back leaves what is asked for afterwards decidable, and is told', async () => {
  const health = async () => unit.gateway.supervisor.health({}, context)
  now += 100 * ttl
  const id = await hold()
  now -= 100 * ttl
  assert.deepEqual((await health()).degraded, ['clock'])
  assert.match(String((await health()).facts['clock']), /^\d+ s ahead of the system clock/)
  assert.equal((await decide(unit, [id, 'approve'])).state, 'applied')
})
