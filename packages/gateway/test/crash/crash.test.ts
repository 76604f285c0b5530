// A cut after every write, sync, rename and removal of every kind of change: what was answered stands, once.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Cut, cuts, Disk } from '@gatehouse/kernel/lossy-disk'
import { readTrace, recorded, type Step } from '@gatehouse/kernel/recorded-steps'
import { openUnit } from '../fixtures/unit.ts'
import { check, type Said } from './check.ts'
import { unitOptions } from './options.ts'
import { scenarios } from './scenarios.ts'

const tracer = 'strace'
const skip = spawnSync(tracer, ['--version']).status === 0 ? false : 'needs strace, install it with: apt install strace'
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
/** Every so many of the points are looked at in the fast profile. */
const stride = full ? 1 : 40

interface Recording {
  readonly base: string
  readonly dir: string
  readonly steps: readonly Step[]
}

/** A state directory before and after a scenario, with all that was done to its files in between. */
const record = async (root: string, name: string): Promise<Recording> => {
  const dir = join(root, 'state')
  mkdirSync(dir, { mode: 0o700 })
  const unit = await openUnit(unitOptions(dir))
  await scenarios[name]?.prepare(unit)
  await unit.close()
  const base = join(root, 'base')
  cpSync(dir, base, { recursive: true })
  const trace = join(root, 'trace')
  const program = ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, 'program.ts'), dir, name]
  const flags = ['-f', '-y', '-xx', '-s', '10000000', '-o', trace, '-e', `trace=${recorded}`]
  const { status, stderr } = spawnSync(tracer, [...flags, process.execPath, ...program], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  rmSync(dir, { recursive: true })
  cpSync(base, dir, { recursive: true })
  return { base, dir, steps: readTrace(trace) }
}

const inRoot = async <T>(act: (root: string) => Promise<T>): Promise<T> => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'))
  try {
    return await act(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

interface Point {
  readonly step: number
  readonly cut: Cut
}

interface Played {
  readonly points: number
  readonly failures: readonly string[]
}

/** @param forget syncs of these files promise nothing: a weakened system */
const play = async (root: string, { dir, steps }: Recording, { every, forget }: { every: number; forget?: RegExp }): Promise<Played> => {
  const disk = new Disk(dir)
  const said: Said[] = []
  const failures: string[] = []
  let points = 0
  const look = async ({ step, cut }: Point): Promise<void> => {
    const target = join(root, 'cut')
    disk.restore(cut, target)
    await check(target, said).catch((error: unknown) => failures.push(`${cut} after step ${step}: ${String(error)}`))
    rmSync(target, { recursive: true, force: true })
    rmSync(`${target}-again`, { recursive: true, force: true })
  }
  for (const [step, one] of steps.entries()) {
    if (one.act === 'say')
      said.push(
        ...one.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Said),
      )
    else if (one.path.startsWith(dir) && !(one.act === 'sync' && forget?.test(one.path) === true)) disk.play(one)
    else continue
    for (const cut of cuts) {
      points += 1
      if (points % every === 0) await look({ step, cut })
    }
  }
  return { points, failures }
}

describe('cuts', { skip, concurrency: 1 }, () => {
  let all = 0
  for (const name of Object.keys(scenarios)) {
    test(`${name}: nothing answered is lost, nothing is done twice, all files agree`, async () => {
      const { points, failures } = await inRoot(async (root) => play(root, await record(root, name), { every: stride }))
      all += points
      assert.deepEqual(failures, [])
      assert.ok(points > 50, `expected more than 50 points, got ${points}`)
    })
  }

  test('there are at least 700 points', (t) => {
    t.diagnostic(`${all} points, one in ${stride} looked at`)
    assert.ok(all >= 700, `got ${all}`)
  })

  test('the same cuts catch a journal that is not synced', async () => {
    const { failures } = await inRoot(async (root) =>
      play(root, await record(root, 'persona'), { every: full ? 1 : 9, forget: /audit\.jsonl$/ }),
    )
    assert.notEqual(failures.length, 0)
  })
})
