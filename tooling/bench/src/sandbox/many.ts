// A thousand sessions with their sockets and queues but no process, and what each costs its host; then many of them talk at the same time.
import { readdir, readFile } from 'node:fs/promises'
import { startUnit, type Unit, waitFor } from '@gatehouse/end-to-end'
import { type Figures, oneByOne } from '../measure.ts'
import { pss } from '../memory.ts'
import { converse, whenQuiet } from './talk.ts'

export interface Amounts {
  readonly sessions: number
  readonly talking: number
}

/** Milliseconds between two looks of each: hundreds that look all the time would be what is measured. */
const pause = 100
/** What is asked is that all are answered; how long it took is printed. */
const patience = 300_000

/** So many sandboxes at a time: each is a Node. */
const batch = 20

const childrenOf = async (pid: number): Promise<number[]> => {
  const lists = await readdir(`/proc/${pid}/task`)
  const found = await Promise.all(lists.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')))
  return found.join(' ').split(' ').filter(Boolean).map(Number)
}

const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended by itself.
  }
}

/** Their sessions stay as they are, and wait for a message. */
const endSandboxes = async (unit: Unit): Promise<void> => {
  const runner = await unit.pidOf('runner')
  for (const pid of await childrenOf(runner)) end(pid)
  await waitFor('no sandbox', 60_000, async () => (await childrenOf(runner)).length === 0)
}

const talk = async (unit: Unit, first: number, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: count }, (_, index) => converse(unit, `many-${first + index}`, { pause, patience })))
}

/** Mebibytes of the unit's own processes. */
const hostMemory = async (unit: Unit): Promise<number> => {
  const { processes } = await unit.client.status()
  const each = await Promise.all([unit.pid, ...processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))].map(pss))
  return each.reduce((sum, value) => sum + value, 0)
}

export interface Many extends Amounts {
  readonly kibPerSession: number
  readonly firstHalfKib: number
  readonly secondHalfKib: number
  readonly talkedMs: number
  /** How long each waited until its message was on disk. */
  readonly receipts: Figures
  /** Of those that talked: the target is none. */
  readonly failed: number
  /** Each once. */
  readonly reasons: readonly string[]
}

export const measureMany = async ({ sessions, talking }: Amounts): Promise<Many> => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'] })
  try {
    await whenQuiet(unit)
    await talk(unit, 0, batch)
    await endSandboxes(unit)
    const memory = [await hostMemory(unit)]
    for (const half of [0, 1]) {
      const from = batch + (half * sessions) / 2
      for (let first = from; first < batch + ((half + 1) * sessions) / 2; first += batch) {
        await talk(unit, first, Math.min(batch, batch + ((half + 1) * sessions) / 2 - first))
        await endSandboxes(unit)
      }
      memory.push(await hostMemory(unit))
    }
    const [before = 0, middle = 0, after = 0] = memory
    const since = performance.now()
    const talked = await Promise.allSettled(
      Array.from({ length: talking }, (_, index) => converse(unit, `many-${index}`, { pause, patience })),
    )
    const talkedMs = performance.now() - since
    const reasons = talked.flatMap((one) =>
      one.status === 'rejected' ? [one.reason instanceof Error ? one.reason.message : 'unknown'] : [],
    )
    const kib = (mebibytes: number, among: number): number => (mebibytes * 1024) / among
    return {
      sessions,
      talking,
      kibPerSession: kib(after - before, sessions),
      firstHalfKib: kib(middle - before, sessions / 2),
      secondHalfKib: kib(after - middle, sessions / 2),
      talkedMs,
      receipts: oneByOne(talked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))),
      failed: reasons.length,
      reasons: [...new Set(reasons.map((reason) => reason.replace(/ in many-\d+/, '')))],
    }
  } finally {
    await unit.dispose()
  }
}
