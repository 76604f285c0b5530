// What the supervisor does with a process that lives, dies or refuses.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { exits, limits } from '@gatehouse/contracts'
import { isRefusal, silentLogger, waitFor } from '@gatehouse/kernel'
import type { Birth } from '../../src/children/roster.ts'
import { Kept } from '../../src/children/supervise.ts'

const keep = (t: TestContext, fixture: string, boot = {}) => {
  const lines: string[] = []
  const secrets: string[] = []
  const kept = new Kept({
    birth: { name: 'runner', boot } as unknown as Birth,
    entry: join(import.meta.dirname, '../fixtures', fixture),
    compileCache: join(tmpdir(), 'gatehouse-compile-cache'),
    log: silentLogger,
    onLine: (line) => lines.push(line),
    onSecret: (secret) => secrets.push(secret),
  })
  t.after(() => kept.stop())
  return { kept, lines, secrets }
}

test('a process that is killed comes back with another pid and a count', async (t) => {
  const { kept } = keep(t, 'serves.mjs')
  await kept.ready
  const { pid } = kept.state
  assert.ok(pid !== undefined)
  process.kill(pid, 'SIGKILL')
  await waitFor(() => kept.state.state === 'ready' && kept.state.pid !== pid, { what: 'the process to be back' })
  assert.equal(kept.state.restarts, 1)
})

test('a process inherits nothing of the environment, and is told how to use memory', async (t) => {
  const { kept, lines, secrets } = keep(t, 'serves.mjs')
  await kept.ready
  await waitFor(() => lines.length > 0, { what: 'its line' })
  const allocator = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']
  assert.deepEqual((JSON.parse(lines[0] ?? '') as { names: string[] }).names.toSorted(), [...allocator, 'NODE_COMPILE_CACHE'])
  assert.deepEqual(secrets, ['learnt-later'])
})

test('a stop ends the process and does not start it again', async (t) => {
  const { kept } = keep(t, 'serves.mjs')
  await kept.ready
  await kept.stop()
  assert.equal(kept.state.state, 'down')
})

test('a process that takes seconds to end in order is not killed meanwhile', async (t) => {
  const { kept, lines } = keep(t, 'drains.mjs')
  await kept.ready
  await kept.stop()
  await waitFor(() => lines.includes('ended in order'), { what: 'its last line', deadline: 1_000 })
})

test(`${limits.startsBeforeGivingUp} ends before ready give the unit up with 70`, async (t) => {
  const { kept } = keep(t, 'dies.mjs')
  await assert.rejects(kept.ready, (error) => isRefusal(error) && error.exit === exits.childCannotStart)
  await assert.rejects(kept.failed, isRefusal)
  assert.equal(kept.state.restarts, limits.startsBeforeGivingUp)
})

test('a process that the host cannot start now counts as one that failed, and is started again', async (t) => {
  const { execPath } = process
  t.after(() => (process.execPath = execPath))
  process.execPath = '/nowhere/node'
  const { kept } = keep(t, 'serves.mjs')
  await waitFor(() => kept.state.state === 'down', { what: 'a failed start', deadline: 30_000 })
  assert.equal(kept.state.pid, undefined)
  process.execPath = execPath
  await kept.ready
  assert.ok(kept.state.pid !== undefined && kept.state.restarts > 0)
})

test('a process that refuses ends the unit with its own exit code and reason, at once', async (t) => {
  const { kept } = keep(t, 'refuses.mjs')
  await assert.rejects(
    kept.ready,
    (error) => isRefusal(error) && error.exit === exits.addressInUse && error.detail === 'the address is taken',
  )
})

const fileToWaitFor = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-keep-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'go')
}

test('a process that is ready hears SIGHUP each time and lives on', async (t) => {
  const file = await fileToWaitFor(t)
  await writeFile(file, '')
  const { kept, lines } = keep(t, 'hears.mjs', { file })
  await kept.ready
  for (const times of [1, 2]) {
    kept.hangUp()
    await waitFor(() => lines.filter((line) => line.includes('heard')).length === times, { what: `hearing it ${times} times` })
  }
  assert.deepEqual([kept.state.state, kept.state.restarts], ['ready', 0])
})

test('a process that is still starting hears SIGHUP once it is ready, and is not ended by it', async (t) => {
  const file = await fileToWaitFor(t)
  const { kept, lines } = keep(t, 'hears.mjs', { file })
  await waitFor(() => lines.some((line) => line.includes('born')), { what: 'a process that starts' })
  kept.hangUp()
  kept.hangUp()
  await writeFile(file, '')
  await waitFor(() => lines.some((line) => line.includes('heard')), { what: 'hearing it' })
  assert.deepEqual([kept.state.state, kept.state.restarts], ['ready', 0])
})

const refusing = async (t: TestContext): Promise<{ kept: Kept; file: string }> => {
  const file = await fileToWaitFor(t)
  await writeFile(file, '')
  const { kept } = keep(t, 'refuses-later.mjs', { file })
  await kept.ready
  process.kill(kept.state.pid ?? 0, 'SIGKILL')
  return { kept, file }
}

test('a process that was ready and refuses to come back is started again until it can', async (t) => {
  const { kept, file } = await refusing(t)
  await waitFor(() => kept.state.restarts >= 2, { what: 'a start that is refused' })
  await rm(file)
  await waitFor(() => kept.state.state === 'ready', { what: 'the process to be back' })
})

if (process.env['GATEHOUSE_PROFILE'] === 'full')
  test('one that refuses to come back too often gives the unit up with 70 and its own reason', async (t) => {
    const { kept } = await refusing(t)
    await assert.rejects(
      kept.failed,
      (error) => isRefusal(error) && error.exit === exits.childCannotStart && error.detail.endsWith(': the file is there'),
    )
  })
