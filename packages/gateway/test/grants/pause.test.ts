// A server whose definitions never rest is refused at once, and does not fill the journal.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { definitionDigest, waitFor } from '@gatehouse/kernel'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, decide, read, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let patient: Unit
let quick: Unit
before(async () => {
  patient = await openUnit({ driftPause: 600_000 })
  quick = await openUnit({ driftPause: 300 })
})
after(async () => {
  for (const unit of [patient, quick]) {
    await unit.close()
    await removeDirectory(unit.dir)
  }
})

const echo = tool('echo')
const turn = (index: number) => tool('echo', { description: `turn ${index}` })

const approve = async (unit: Unit, name: string) => {
  await createGroup(unit, name)
  await putServer(unit, name)
  await list(unit, name, [echo])
  await carry(unit, ['mcp_access', name, { server: name, tools: ['echo'] }])
  const session = (await openSession(unit, name)).id
  return async (): Promise<string> => {
    const verdict = await authorize(unit, session, [name, 'echo'])
    return verdict.allowed ? (verdict.pin ?? 'any') : verdict.code
  }
}
const lines = async (unit: Unit, name: string) => (await audit(unit)).filter((entry) => entry.agentGroupID === name).length
const held = async (unit: Unit, name: string) =>
  (await unit.gateway.controlPlane.pending({ token, limit: 200 }, context)).items.filter(({ agentGroupID }) => agentGroupID === name)

test('the first change is asked about at once, the next ones are refused at once and wait for their lines', async () => {
  const call = await approve(patient, 'restless')
  await list(patient, 'restless', [turn(0)])
  assert.equal((await held(patient, 'restless')).length, 1)
  const before = await lines(patient, 'restless')
  for (let index = 1; index < 50; index += 1) {
    await list(patient, 'restless', [turn(index)])
    assert.equal(await call(), 'definition-changed')
  }
  assert.equal(await lines(patient, 'restless'), before)
})

test('definitions that return are allowed and settled at once; moving again waits', async () => {
  const call = await approve(patient, 'swinging')
  await list(patient, 'swinging', [turn(0)])
  await list(patient, 'swinging', [echo])
  assert.equal(await call(), definitionDigest(echo))
  assert.equal((await held(patient, 'swinging')).length, 0)
  const before = await lines(patient, 'swinging')
  for (let index = 1; index < 20; index += 1) {
    await list(patient, 'swinging', [turn(index)])
    assert.equal(await call(), 'definition-changed')
    await list(patient, 'swinging', [echo])
  }
  assert.equal(await lines(patient, 'swinging'), before)
})

test('what a person approves meanwhile is what is there, and the next change is asked about at once', async () => {
  const call = await approve(patient, 'decided')
  for (const index of [0, 1]) await list(patient, 'decided', [turn(index)])
  const [change] = await held(patient, 'decided')
  await decide(patient, [change!.id, 'approve'])
  assert.equal(await call(), definitionDigest(turn(1)))
  await list(patient, 'decided', [turn(2)])
  assert.equal((await held(patient, 'decided')).length, 1)
})

test('when the pause is over, the last one is written without another listing', async () => {
  await approve(quick, 'last')
  for (const index of [0, 1, 2]) await list(quick, 'last', [turn(index)])
  const [change] = await held(quick, 'last')
  const description = async () =>
    ((await read(quick, change!.id)).evidence?.['tools'] as { description: string }[] | undefined)?.[0]?.description
  await waitFor(async () => (await description()) === 'turn 2', { what: 'the last definitions in the held change' })
  assert.equal((await held(quick, 'last')).length, 1)
})
