// The control group of one sandbox: created with its limits, joined by the sandbox, read, and removed with all its processes.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limits as bounds } from '@gatehouse/contracts'
import { hasHostIds } from '@gatehouse/kernel'
import type { LaunchSpec, Usage } from '../driver.ts'
import { type Controller, controllers, findHierarchy, groupsHome, type Hierarchy } from './hierarchy.ts'
import { type Directories, readUsage } from './usage.ts'

const MiB = 1024 * 1024
const period = 100_000
const removals = 60

export type GroupLimits = Pick<LaunchSpec['limits'], 'memoryMiB' | 'cpus' | 'pids'>

export interface Group {
  /** The path in an OCI configuration. */
  readonly path: string
  /** Creates the group with its limits. */
  create(limits: GroupLimits): Promise<void>
  /** Adds a process; the processes that it starts afterwards belong to the group too. */
  enter(pid: number): Promise<void>
  /** Ids of the processes in the group. */
  members(): Promise<number[]>
  /** Moves a supervising process to the parent group. Ignores a process that has ended. */
  letOut(pid: number): Promise<void>
  usage(): Promise<Usage>
  /** Kills the processes in the group. */
  kill(): Promise<void>
  /** Kills the processes in the group and removes it. Resolves to false when a process could not be ended. */
  remove(): Promise<boolean>
}

type Settings = Readonly<Record<string, string>>

const settings = (controller: Controller, version: 1 | 2, { memoryMiB, cpus, pids }: GroupLimits): Settings => {
  const bytes = String(memoryMiB * MiB)
  const quota = String(Math.max(1000, Math.round(cpus * period)))
  switch (controller) {
    case 'memory':
      return version === 1
        ? { 'memory.limit_in_bytes': bytes, 'memory.memsw.limit_in_bytes?': bytes }
        : { 'memory.max': bytes, 'memory.swap.max?': '0', 'memory.oom.group?': '1' }
    case 'pids':
      return { 'pids.max': String(pids) }
    case 'cpu':
      return version === 1
        ? { 'cpu.cfs_period_us': String(period), 'cpu.cfs_quota_us': quota, 'cpu.shares': String(bounds.sandboxCpuShares) }
        : { 'cpu.max': `${quota} ${period}`, 'cpu.weight.nice?': String(bounds.sandboxNice) }
  }
}

/** All sandboxes together get half the processor share of a sibling of their group, such as the slice of the services. */
const settingsOfAll = (version: 1 | 2): Settings =>
  version === 1
    ? { 'cpu.shares?': String(bounds.sandboxesCpuShares) }
    : { 'cpu.weight?': String(Math.round(bounds.sandboxesCpuShares / 10.24)) }

/** A name that ends with `?` is optional: not every kernel counts swap. */
const apply = async (path: string, values: Settings): Promise<void> => {
  for (const [name, value] of Object.entries(values)) {
    const write = writeFile(join(path, name.replace('?', '')), value)
    await (name.endsWith('?') ? write.catch(() => undefined) : write)
  }
}

/** In version 2 each level must enable the controllers for the next. */
const handDown = async (base: string, path: string): Promise<void> => {
  const above: string[] = []
  for (let at = dirname(path); at.length >= base.length && at !== '/'; at = dirname(at)) above.unshift(at)
  for (const directory of above) await writeFile(join(directory, 'cgroup.subtree_control'), '+memory +pids +cpu')
}

/** Ids of the processes of a group and its subgroups. 0, which the kernel writes for a process without an id here, is left out: a signal to 0 would end the unit. */
const inhabitants = async (path: string): Promise<number[]> => {
  const text = await readFile(join(path, 'cgroup.procs'), 'utf8').catch(() => '')
  const own = text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1)
  const below = (await readdir(path, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  return [...own, ...(await Promise.all(below.map(({ name }) => inhabitants(join(path, name))))).flat()]
}

const killAll = async (path: string): Promise<void> => {
  for (const pid of await inhabitants(path)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended in the meantime.
    }
  }
}

const removeTree = async (path: string): Promise<void> => {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await removeTree(join(path, entry.name))
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

/** A killed process leaves its group with a short delay. */
const removeDirectory = async (path: string): Promise<boolean> => {
  for (let attempt = 1; attempt <= removals; attempt += 1) {
    await killAll(path)
    try {
      await removeTree(path)
      return true
    } catch {
      await pause(Math.min(attempt * 2, 50))
    }
  }
  return false
}

/** The unit creates everything private, but a runtime accesses a group with the host id of its sandbox. */
const makeVisible = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true })
  for (const directory of [path, dirname(path), dirname(dirname(path))]) await chmod(directory, 0o755)
}

/**
 * Hierarchies without limits. Directories that `runc` created there are private because of the umask of the unit, and Podman starts no
 * container below them. Missing ones are created by the engine.
 */
const showOthers = async (bases: readonly string[], path: string): Promise<void> => {
  for (const base of bases)
    for (const directory of [dirname(dirname(path)), dirname(path)]) await chmod(join(base, directory), 0o755).catch(() => undefined)
}

const label = /^[\w.-]+$/
export const groupPath = (unitId: string, id: string): string => {
  for (const part of [unitId, id]) if (!label.test(part) || /^\.+$/.test(part)) throw new TypeError(`invalid control group name ${part}`)
  return `/${groupsHome}/${unitId}/${id}`
}

export const openGroup = (hierarchy: Hierarchy, path: string): Group => {
  const at = (controller: Controller) => ({ version: hierarchy[controller].version, path: join(hierarchy[controller].base, path) })
  const directories: Directories = { memory: at('memory'), pids: at('pids'), cpu: at('cpu') }
  const paths = [...new Set(controllers.map((controller) => directories[controller].path))]
  return {
    path,
    async create(limits) {
      for (const directory of paths) await makeVisible(directory)
      await showOthers(hierarchy.bases, path)
      const two = controllers.find((controller) => directories[controller].version === 2)
      if (two !== undefined) await handDown(hierarchy[two].base, directories[two].path)
      for (const controller of controllers) {
        const { version, path: directory } = directories[controller]
        await apply(directory, settings(controller, version, limits))
      }
      const { version, base } = hierarchy.cpu
      if (!hierarchy.beside) await apply(join(base, groupsHome), settingsOfAll(version))
    },
    async enter(pid) {
      for (const directory of paths) await writeFile(join(directory, 'cgroup.procs'), String(pid))
    },
    members: () => inhabitants(directories.memory.path),
    async letOut(pid) {
      for (const base of hierarchy.bases) await writeFile(join(base, dirname(path), 'cgroup.procs'), String(pid)).catch(() => undefined)
    },
    usage: () => readUsage(directories),
    async kill() {
      await Promise.all(paths.map(killAll))
    },
    async remove() {
      const removed = await Promise.all(hierarchy.bases.map((base) => removeDirectory(join(base, path))))
      return removed.every(Boolean)
    },
  }
}

/** Null where groups cannot be created; then memory, processes and processors are not limited. */
export const detectGroups = async (unitId: string): Promise<Hierarchy | null> => {
  const hierarchy = await findHierarchy(process.geteuid?.() === 0 && (await hasHostIds()))
  if (hierarchy === null) return null
  const group = openGroup(hierarchy, groupPath(unitId, `trial-${process.pid}-${randomBytes(4).toString('hex')}`))
  try {
    await group.create({ memoryMiB: 64, cpus: 1, pids: 16 })
    return hierarchy
  } catch {
    return null
  } finally {
    await group.remove()
  }
}
