// One runtime directory has one unit, and what the next one finds there says which units have ended.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { readUnitRecord, runnerLockName, takeLock, unitLockName, unitRecordName, writeUnitRecord } from '@gatehouse/kernel'
import { openHalf, openRunDirectory } from '../../src/plan/run-directory.ts'

/** Looks at the lock once. */
const impatient = 0

const unit = (unitId: string, stateDir = `/state/${unitId}`) => ({ installation: 'a'.repeat(32), unitId, stateDir })

const openHome = async (t: TestContext): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'gh-run-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  return home
}

test('a second split unit is refused the runtime directories of one that runs, and is told what to do', async (t) => {
  const home = await openHome(t)
  const split = { only: 'control' as const, halves: { control: join(home, 'control'), runner: join(home, 'runner') } }
  const first = await openHalf(split, unit('first'))
  await writeFile(join(first.path, 'shared', 'x.sock'), '')
  await assert.rejects(openHalf(split, unit('second'), impatient), {
    exit: exits.stateInUse,
    detail: `${first.path} is the runtime directory of another unit that is running, with the state directory /state/first`,
    hint: 'stop that unit, or set another SERVICE_RUN_DIR for both halves of this one',
  })
  assert.ok(existsSync(join(first.path, 'shared', 'x.sock')), 'nothing of the first was touched')
  await first.close()
  const second = await openHalf(split, unit('second'))
  assert.deepEqual(second.formerUnitIds, ['first'])
  await second.close()
  const third = await openHalf(split, unit('third'))
  assert.deepEqual(third.formerUnitIds, ['second', 'first'])
  await third.close()
})

test('units of one user have directories of their own, which are gone after a stop', async (t) => {
  const env = { XDG_RUNTIME_DIR: await openHome(t) }
  const [one, other] = [
    await openRunDirectory(unit(randomBytes(16).toString('hex')), env),
    await openRunDirectory(unit(randomBytes(16).toString('hex')), env),
  ]
  assert.notEqual(one.path, other.path)
  await mkdir(join(one.path, 'left'))
  await one.close()
  assert.deepEqual([existsSync(one.path), existsSync(other.path)], [false, true])
  await other.close()
  assert.ok(!existsSync(other.path))
})

test('a unit that starts while another one removes what it left is told so, and starts after it', async (t) => {
  const env = { XDG_RUNTIME_DIR: await openHome(t) }
  const own = unit(randomBytes(16).toString('hex'))
  const former = await openRunDirectory(own, env)
  const { path } = former
  await writeFile(join(path, runnerLockName), '')
  await assert.rejects(former.close(), /not everything of this unit has ended/)
  const lock = await takeLock(join(path, unitLockName), { create: false })
  const record = await readUnitRecord(path)
  assert.ok(lock !== undefined && record !== undefined)
  await writeUnitRecord(path, { ...record, cleaner: '/state/cleaner' })
  await assert.rejects(openRunDirectory(own, env, impatient), {
    exit: exits.stateInUse,
    detail: `the unit with the state directory /state/cleaner is removing what an earlier unit left, and still uses the runtime directory ${path}`,
  })
  await lock.release()
  const next = await openRunDirectory(own, env)
  assert.equal((await readUnitRecord(path))?.cleaner, undefined)
  await next.close()
})

test('the record of a unit of which something may be left stays after its stop, and the next start still knows it', async (t) => {
  const env = { XDG_RUNTIME_DIR: await openHome(t) }
  const own = unit(randomBytes(16).toString('hex'))
  const first = await openRunDirectory(own, env)
  const record = await readUnitRecord(first.path)
  assert.ok(record !== undefined)
  await writeUnitRecord(first.path, { ...record, engines: ['docker'] })
  for (const name of [runnerLockName, 'session.sock']) await writeFile(join(first.path, name), '')
  await assert.rejects(first.close(), /not everything of this unit has ended/)
  assert.deepEqual((await readdir(first.path)).toSorted(), [runnerLockName, unitRecordName, unitLockName].toSorted())
  const second = await openRunDirectory(own, env)
  assert.deepEqual((await readUnitRecord(second.path))?.engines, ['docker'])
  await second.close()
  assert.ok(!existsSync(second.path))
})

test('a unit waits for the runner of its killed supervisor', async (t) => {
  const env = { XDG_RUNTIME_DIR: await openHome(t) }
  const own = unit(randomBytes(16).toString('hex'))
  const first = await openRunDirectory(own, env)
  const runner = await takeLock(join(first.path, runnerLockName), { create: true })
  await assert.rejects(first.close(), /not everything of this unit has ended/)
  await assert.rejects(openRunDirectory(own, env, impatient), { exit: exits.stateInUse })
  const starting = openRunDirectory(own, env)
  await runner?.release()
  const second = await starting
  await second.close()
})
