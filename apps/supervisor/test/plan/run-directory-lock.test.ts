// One runtime directory has one unit, and what the next one finds there says which units have ended.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { openHalf, openRunDirectory } from '../../src/plan/run-directory.ts'

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
  await assert.rejects(openHalf(split, unit('second')), {
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
