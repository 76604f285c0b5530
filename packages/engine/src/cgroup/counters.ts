// What the kernel counted for one sandbox: kills for memory, refused processes, periods in which it was held back.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Controller } from './hierarchy.ts'

export interface Usage {
  readonly memoryKills: number
  /** It once used all that it may, if only for a moment, and not for files that the kernel keeps at hand. Told of what has ended. */
  readonly memoryFull: boolean
  readonly refusedProcesses: number
  readonly throttledPeriods: number
}

export type Directories = Readonly<Record<Controller, { readonly version: 1 | 2; readonly path: string }>>

const readNumber = async (path: string, name: string): Promise<number> =>
  Number((await readFile(join(path, name), 'utf8').catch(() => '')) || NaN)

const MiB = 1024 * 1024

/**
 * Version 1 counts kills where the process was, which may be a group below; version 2 counts them here too.
 * Files that were read or written fill a group of version 1 as well, but are given up before anybody is killed: then next to nothing is left.
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

/** Zeros where there is no such group. */
export const readUsage = async ({ memory, pids, cpu }: Directories): Promise<Usage> => {
  const one = memory.version === 1
  const [memoryKills, memoryFull, refusedProcesses, throttledPeriods] = await Promise.all([
    read(join(memory.path, one ? 'memory.oom_control' : 'memory.events'), 'oom_kill'),
    readFull(memory),
    read(join(pids.path, 'pids.events'), 'max'),
    read(join(cpu.path, 'cpu.stat'), 'nr_throttled'),
  ])
  return { memoryKills, memoryFull, refusedProcesses, throttledPeriods }
}
