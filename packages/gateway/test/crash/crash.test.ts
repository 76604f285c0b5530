// A cut after every write, sync, rename and removal of every kind of change: what was answered stands, once.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Cut, cuts, Disk } from '@gatehouse/testkit/lossy-disk'
import { readTrace, recorded, type Step } from '@gatehouse/testkit/recorded-steps'
import { openUnit } from '../fixtures/unit.ts'
import { check, type Said } from './check.ts'
import { unitOptions } from './options.ts'
import { scenarios } from './scenarios.ts'

const tracer = 'strace'
const skip = spawnSync(tracer, ['--version']).status === 0 ? false : 'needs strace, install it with: apt install strace'
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
/** Every so many of the points are looked at in the fast profile. */
const stride = full ? 1 : 40
const names = Object.keys(scenarios)

interface Recording {
  readonly dir: string
  readonly steps: readonly Step[]
}

/** What each scenario said, and did to the files of its own directory. */
const split = (root: string, steps: readonly Step[]): Map<string, Recording> => {
  const recordings = new Map(names.map((name) => [name, { dir: join(root, name), steps: [] as Step[] }]))
  let saying: Step[] | undefined
  for (const step of steps) {
    if (step.act !== 'say') {
      for (const { dir, steps: own } of recordings.values()) if (step.path === dir || step.path.startsWith(`${dir}/`)) own.push(step)
      continue
    }
    for (const text of step.text.trim().split('\n')) {
      const { scenario } = JSON.parse(text) as Said
      if (scenario === undefined) saying?.push({ act: 'say', text })
      else saying = recordings.get(scenario)?.steps
    }
  }
  return recordings
}

/** A state directory before each scenario, with all that was done to its files in it: all of them in one traced process. */
const recordAll = async (home: string): Promise<Map<string, Recording>> => {
  const [root, base, trace] = ['units', 'base', 'trace'].map((name) => join(home, name)) as [string, string, string]
  for (const name of names) {
    const dir = join(root, name)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const unit = await openUnit(unitOptions(dir))
    await scenarios[name]?.prepare(unit)
    await unit.close()
  }
  cpSync(root, base, { recursive: true })
  const program = [join(import.meta.dirname, 'program.ts'), root, ...names]
  const flags = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '10000000', '-o', trace, '-e', `trace=${recorded}`]
  const { status, stderr } = spawnSync(tracer, [...flags, process.execPath, ...program], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  rmSync(root, { recursive: true })
  renameSync(base, root)
  return split(root, readTrace(trace))
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
const play = async (home: string, { dir, steps }: Recording, { every, forget }: { every: number; forget?: RegExp }): Promise<Played> => {
  const disk = new Disk(dir)
  const said: Said[] = []
  const failures: string[] = []
  let points = 0
  const look = async ({ step, cut }: Point): Promise<void> => {
    const target = join(home, 'cut')
    disk.restore(cut, target)
    await check(target, said).catch((error: unknown) => failures.push(`${cut} after step ${step}: ${String(error)}`))
    rmSync(target, { recursive: true, force: true })
    rmSync(`${target}-again`, { recursive: true, force: true })
  }
  for (const [step, one] of steps.entries()) {
    // One is enough to catch a weakened system.
    if (forget !== undefined && failures.length > 0) break
    if (one.act === 'say') said.push(JSON.parse(one.text) as Said)
    else if (!(one.act === 'sync' && forget?.test(one.path) === true)) disk.play(one)
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
  let home = ''
  let recordings: ReadonlyMap<string, Recording>
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'))
    recordings = await recordAll(home)
  })
  after(() => rmSync(home, { recursive: true }))

  const played = (name: string, more: { every: number; forget?: RegExp }): Promise<Played> => {
    const recording = recordings.get(name)
    assert.ok(recording !== undefined)
    return play(home, recording, more)
  }

  for (const name of names) {
    test(`${name}: nothing answered is lost, nothing is done twice, all files agree`, async () => {
      const { points, failures } = await played(name, { every: stride })
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
    const { failures } = await played('persona', { every: full ? 1 : 9, forget: /audit\.jsonl$/ })
    assert.notEqual(failures.length, 0)
  })
})
