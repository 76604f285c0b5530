// The counters of the control group that a process is in, for engines that make their own groups.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Directories, readUsage, type Usage } from './counters.ts'
import { controllers, findHierarchy } from './hierarchy.ts'

/** Null where there is no such process, or its groups cannot be seen from here. */
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
