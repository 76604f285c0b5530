// A recording of a whole unit under load, and what a power cut at any step of it leaves.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '@gatehouse/testkit/random'
import { type Cut, cuts, Disk } from '@gatehouse/testkit/lossy-disk'
import { readTrace, recorded, type Step } from '@gatehouse/testkit/recorded-steps'
import { execa } from 'execa'
import { check } from '../../src/stores/check.ts'
import type { Said } from '../../src/stores/said.ts'

export interface Recording {
  readonly root: string
  readonly dir: string
  readonly steps: readonly Step[]
  /** How many cuts there are. */
  readonly points: number
}

/** Files of agents are theirs to sync; locks and shared memory mean nothing after a cut; the reserve is empty space. */
const isOther = /\/(?:groups|locks)\/|\/audit\.reserve$|-shm$/

const isOurs = (dir: string, step: Step): boolean =>
  step.act !== 'say' && (step.path === dir || step.path.startsWith(`${dir}/`)) && !isOther.test(step.path)

export const record = async (rounds: number): Promise<Recording> => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-power-'))
  const [dir, trace, said] = [join(root, 'state'), join(root, 'trace'), join(root, 'said')]
  const flags = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '10000000', '-o', trace, '-e', `trace=${recorded}`]
  const program = [join(import.meta.dirname, 'workload.ts'), dir, said, String(rounds)]
  const ran = await execa('strace', [...flags, process.execPath, ...program], { all: true, reject: false, timeout: 240_000 })
  assert.equal(ran.exitCode, 0, ran.all)
  const steps = readTrace(trace).flatMap((step): Step[] => {
    if (step.act === 'write' && step.path === said) return [{ act: 'say', text: step.bytes.toString() }]
    return isOurs(dir, step) ? [step] : []
  })
  rmSync(trace)
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  return { root, dir, steps, points: steps.filter(({ act }) => act !== 'say').length * cuts.length }
}

export interface Played {
  readonly cuts: number
  readonly failures: readonly string[]
}

export interface Plan {
  /** The cuts that are looked at, by their numbers. */
  readonly chosen: ReadonlySet<number>
  /** Syncs of these promise nothing: a weakened system. */
  readonly forget?: RegExp
  /** What else must be true of a directory after a cut. */
  readonly look?: typeof check
}

/** So many different ones, whenever the seed has them. */
export const anyCuts = ({ points }: Recording, { count, seed }: { count: number; seed: number }): Set<number> => {
  const random = seeded(seed)
  const chosen = new Set<number>()
  while (chosen.size < Math.min(count, points)) chosen.add(Math.floor(random() * points))
  return chosen
}

/** The power goes just before the last answer, when much was promised and nothing closed. */
export const lastCut = ({ steps }: Recording): Set<number> => {
  const before = steps.slice(
    0,
    steps.findLastIndex(({ act }) => act === 'say'),
  )
  return new Set([(before.filter(({ act }) => act !== 'say').length - 1) * cuts.length + cuts.indexOf('power')])
}

/** @returns what was wrong after each cut that was looked at */
export const play = async ({ root, dir, steps }: Recording, plan: Plan): Promise<Played> => {
  const { chosen, forget, look = check } = plan
  const disk = new Disk(dir)
  const said: Said[] = []
  const failures: string[] = []
  let [point, callsOnDisk] = [0, 0]
  const cutNow = async (cut: Cut, step: number): Promise<void> => {
    const target = join(root, 'cut')
    mkdirSync(target, { mode: 0o700 })
    disk.restore(cut, target)
    await look(target, { said, callsOnDisk, group: 'dev-agent' }).catch((error: unknown) =>
      failures.push(`${cut} after step ${step}: ${String(error)}`),
    )
    rmSync(target, { recursive: true, force: true })
  }
  for (const [index, step] of steps.entries()) {
    if (step.act === 'say') {
      said.push(JSON.parse(step.text) as Said)
      continue
    }
    const isForgotten = step.act === 'sync' && forget?.test(step.path) === true
    if (!isForgotten) disk.play(step)
    if (step.act === 'sync' && step.path.endsWith('/calls.jsonl')) callsOnDisk = said.filter(({ to }) => to === 'call').length
    for (const cut of cuts) {
      if (chosen.has(point)) await cutNow(cut, index)
      point += 1
    }
  }
  return { cuts: chosen.size, failures }
}
