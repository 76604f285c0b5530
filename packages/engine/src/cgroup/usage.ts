// Reads kernel counters of one sandbox (memory kills, refused processes, throttling), and derives the reason of its exit.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exit, Usage } from '../driver.ts'
import { type Controller, controllers, findHierarchy } from './hierarchy.ts'

export type Directories = Readonly<Record<Controller, { readonly version: 1 | 2; readonly path: string }>>

const readNumber = async (path: string, name: string): Promise<number> =>
  Number((await readFile(join(path, name), 'utf8').catch(() => '')) || NaN)

const MiB = 1024 * 1024

/**
 * Version 1 counts kills in the group of the process, which may be a subgroup; version 2 counts them here too. In version 1 the page
 * cache fills a group as well, but it is reclaimed before a process is killed, so that almost none is left then.
 */
const readFull = async ({ version, path }: Directories['memory']): Promise<boolean> => {
  if (version === 2) return (await read(join(path, 'memory.events'), 'oom')) > 0
  const names = ['memory.max_usage_in_bytes', 'memory.limit_in_bytes', 'memory.usage_in_bytes']
  const [most = 0, limit = Infinity, left = 0] = await Promise.all(names.map((name) => readNumber(path, name)))
  return most >= limit - MiB && left < limit / 8
}

const read = async (path: string, name: string): Promise<number> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** All counters are 0 where the group does not exist. */
export const readUsage = async ({ memory, pids, cpu }: Directories): Promise<Usage> => {
  const one = memory.version === 1
  const [memoryKills, memoryFull, refusedProcesses, throttledPeriods, throttled] = await Promise.all([
    read(join(memory.path, one ? 'memory.oom_control' : 'memory.events'), 'oom_kill'),
    readFull(memory),
    read(join(pids.path, 'pids.events'), 'max'),
    read(join(cpu.path, 'cpu.stat'), 'nr_throttled'),
    read(join(cpu.path, 'cpu.stat'), cpu.version === 1 ? 'throttled_time' : 'throttled_usec'),
  ])
  const throttledSeconds = throttled / (cpu.version === 1 ? 1e9 : 1e6)
  return { memoryKills, memoryFull, refusedProcesses, throttledPeriods, throttledSeconds }
}

/** Null where the process does not exist or its groups are not visible. */
export const usageOfProcess = async (pid: number): Promise<Usage | null> => {
  if (pid <= 1) return null
  const [hierarchy, text] = await Promise.all([findHierarchy(true), readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')])
  if (hierarchy === null || text === '') return null
  const found = controllers.map((controller) => {
    const { version, base } = hierarchy[controller]
    const pattern = version === 2 ? /^0::(.*)$/m : new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm')
    return { version, path: join(base, pattern.exec(text)?.[1] ?? '/') }
  })
  const [memory, pids, cpu] = found
  if (memory === undefined || pids === undefined || cpu === undefined) return null
  const directories: Directories = { memory, pids, cpu }
  return readUsage(directories)
}

/** Corrects the reason reported by the engine, which is often missing or wrong. A refused process alone does not end a sandbox. */
export const reasonOf = (exit: Exit, { memoryKills, refusedProcesses }: Pick<Usage, 'memoryKills' | 'refusedProcesses'>): Exit => {
  if (memoryKills > 0) return { ...exit, reason: 'out-of-memory' }
  return refusedProcesses > 0 && exit.code !== 0 ? { ...exit, reason: 'out-of-processes' } : exit
}
