// Killing anything at any moment is an ordinary event: the flow goes on, nothing is doubled, nothing is left behind.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { say } from '../src/chat.ts'
import { descendants } from '../src/descendants.ts'
import { removeState } from '../src/remove-state.ts'
import { freshDirectory, startUnit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { approve, submit, testKills } from './fixtures/killed-service.ts'

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

testKills('gateway')

test('after SIGKILL of the supervisor nothing is left, and a held change can still be decided after a new start', async (t) => {
  const stateDir = await freshDirectory()
  t.after(() => removeState(stateDir))
  const unit = await startUnit({ stateDir, flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(unit.dispose)
  assert.equal(await say(unit, 'hello'), 'echo: hello')
  const id = await submit(unit, 'persona', { instructions: 'Be brief.' })
  const family = await descendants(unit.pid)
  assert.ok(family.length >= 6, `${family.length} processes`)
  await unit.kill()
  await waitFor('every process of the unit to be gone', 60_000, () => !family.some(alive))

  const next = await startUnit({ stateDir, flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(next.dispose)
  assert.deepEqual(
    (await next.client.changes.pending()).items.map((change) => change.id),
    [id],
  )
  await approve(next, id)
  assert.equal(await say(next, 'again'), 'echo: again')
})

test('a stop leaves no process and no socket', async (t) => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(unit.dispose)
  assert.equal(await say(unit, 'hello'), 'echo: hello')
  const family = await descendants(unit.pid)
  const { code } = await unit.stop()
  assert.equal(code, 0)
  await waitFor('every process of the unit to be gone', 60_000, () => !family.some(alive))
  assert.ok(!(await readdir(unit.stateDir)).some((name) => name.endsWith('.sock')))
})
