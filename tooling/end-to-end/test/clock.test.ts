// A unit goes on working while the wall clock of all its processes is set: calls, a tool server that crashed, and chat. A step
// back does not lengthen a grant that has an end, and no message is removed.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { applyChange } from '../src/changes.ts'
import { allMessages, say } from '../src/chat.ts'
import { descendants, endNow } from '../src/descendants.ts'
import { createSteppingClock, skipWithoutFaketime } from '../src/stepping-clock.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

if (skipWithoutFaketime !== false && process.env['CI'] === 'true') throw new Error(skipWithoutFaketime)

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const times = { '10 s': 10, '10 minutes': 600, 'a day': 86_400, 'a year': 31_536_000 }
const steps = Object.entries(times).flatMap(([name, seconds]) => [
  { name: `${name} back`, seconds: -seconds },
  { name: `${name} forward`, seconds },
])
const few = ['10 minutes back', 'a year forward']

const call = 'tool:sample__echo {"text":"hi"}'
const answers = (unit: Unit): Promise<boolean> => waitFor('a tool to answer', 30_000, async () => (await say(unit, call)) === 'hi')
const grant = (unit: Unit, more: object = {}): Promise<string> =>
  applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'], ...more } })

/** The tool server of a unit, as a crash of it would end it. */
const crashServer = async (unit: Unit): Promise<void> => {
  const broker = await unit.pidOf('broker')
  const servers = await descendants(broker)
  assert.ok(servers.length > 0, 'the server runs')
  for (const pid of servers) endNow(pid)
}

for (const { name, seconds } of steps.filter((step) => isFull || few.includes(step.name))) {
  test(`a unit works on when its clock is set ${name}`, { skip: skipWithoutFaketime, timeout: 300_000 }, async (t) => {
    const clock = await createSteppingClock()
    t.after(() => rm(clock.folder, { recursive: true, force: true }))
    const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: clock.env })
    t.after(unit.dispose)
    await grant(unit)
    await answers(unit)
    const before = (await allMessages(unit)).length
    await clock.set(seconds)
    const machine = Date.now() + seconds * 1_000
    await waitFor('the step to be seen', 30_000, async () => {
      const said = (await fetch(`${unit.address}/readyz`)).headers.get('date')
      return said !== null && Math.abs(Date.parse(said) - machine) < 60_000
    })
    await crashServer(unit)
    await answers(unit)
    assert.ok((await allMessages(unit)).length > before, 'what was said before is still there')
    if (seconds > 0) return
    // The end of a grant is 20 s away, whatever the clock of the machine says.
    await grant(unit, { expiresAt: new Date(Date.now() + 20_000).toISOString() })
    let answer = ''
    try {
      await waitFor('the grant to end', 60_000, async () => {
        answer = await say(unit, call)
        return answer !== 'hi'
      })
    } catch (error) {
      throw new Error(`the tool answered: ${answer}\n${unit.lines.slice(-20).join('\n')}`, { cause: error })
    }
    assert.match(answer, /^refused: /)
  })
}
