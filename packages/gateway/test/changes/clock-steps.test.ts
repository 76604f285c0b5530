// Terms of the gateway while the machine's clock is set back: none lasts longer than it was to last, in time that really passes.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { mint } from '../fixtures/crowd.ts'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, decide, fails, read, submit } from '../fixtures/people.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const hour = 60 * 60_000
const machine = { time: Date.UTC(2040, 0, 1), passed: 0 }
let unit: Unit
let session: string
beforeEach(async () => {
  unit = await openUnit({ clock: () => machine.time, elapsed: () => machine.passed, boot: { changeTtl: hour } })
  await createGroup(unit, 'a')
  await putServer(unit, 'sample')
  await list(unit, 'sample', [tool('echo')])
  session = (await openSession(unit, 'a')).id
})
afterEach(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const pass = (milliseconds: number): void => {
  machine.time += milliseconds
  machine.passed += milliseconds
}
const inAnHour = (): string => new Date(machine.time + hour).toISOString()
const isAllowed = async (): Promise<boolean> => (await authorize(unit, session, ['sample', 'echo'])).allowed

for (const [what, step] of Object.entries({ '10 s': 10_000, '10 minutes': 600_000, 'a day': 86_400_000, 'a year': 31_536_000_000 })) {
  test(`a grant, a token and a held change of an hour end after an hour when the clock is set ${what} back`, async () => {
    await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'], expiresAt: inAnHour() }])
    const brief = await mint(unit, { name: 'brief', role: 'approver', expiresAt: inAnHour() })
    const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
    pass(1)
    machine.time -= step
    // What is written meanwhile must not lengthen what was granted before.
    await createGroup(unit, 'b')
    pass(hour - 2)
    await createGroup(unit, 'c')
    assert.equal(await isAllowed(), true)
    assert.equal((await brief.read(id)).state, 'held')
    pass(1)
    assert.equal(await isAllowed(), false)
    assert.equal((await fails(brief.read(id))).code, 'unauthorized')
    assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
    assert.equal((await read(unit, id)).state, 'expired')
    machine.time -= step
    assert.equal(await isAllowed(), false, 'a second step revives nothing')
  })
}
