// Sandboxes by bubblewrap: no daemon, no root needed. Started by root, it becomes the sandbox's own host uid first.
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeGroups } from '../cgroup/cleanup.ts'
import { type Group, groupPath, openGroup } from '../cgroup/group.ts'
import type { Hierarchy } from '../cgroup/hierarchy.ts'
import { reasonOf } from '../cgroup/usage.ts'
import type { Control, Driver, LaunchSpec, Sandbox } from '../driver.ts'
import { type Ending, launchProgram } from '../launch.ts'
import { openStage, type Stage, type StagePrograms } from '../mount-namespace.ts'
import { unpackImage } from '../rootfs/unpack.ts'
import { bubblewrapProgram, type BubblewrapPrograms, hostIdentity, stageMounts } from './program.ts'

export interface BubblewrapOptions {
  readonly programs: BubblewrapPrograms
  /** True where the unit is root. */
  readonly root: boolean
  /** Rendered system call filter; null where there is none for this machine. */
  readonly filter: Uint8Array | null
  /** Null where mounts cannot be given flags beforehand. */
  readonly stage: StagePrograms | null
  /** Null where no limit can be set. */
  readonly hierarchy: Hierarchy | null
  /** Private directory for mount tables. */
  readonly home: string
}

const missingWalls = ({ root, filter, stage, hierarchy }: BubblewrapOptions): Control[] => [
  ...(root ? [] : ['own-host-uid' as const]),
  ...(stage === null ? ['mount-flags' as const] : []),
  ...(filter === null ? ['seccomp' as const] : []),
  ...(hierarchy === null ? (['memory-limit', 'process-limit', 'cpu-limit'] as const) : []),
]

/**
 * The kernel's own counters tell why. Whatever is left in the group is ended with it: killed at its start, bwrap may leave a child
 * that had not yet asked to die with its parent.
 */
const endingOf = (group: Group | null): Ending => {
  if (group === null) return {}
  return {
    settle: async (exit) => {
      const usage = await group.usage()
      await group.remove()
      return reasonOf(exit, usage)
    },
    sweep: () => group.kill(),
    usage: () => group.usage(),
  }
}

interface Prepared {
  readonly group: Group | null
  readonly stage: Stage | null
  readonly tmp: string | null
}

/** Each `bwrap` stays in the group, outside of its process namespace and as the first process in it. Root's sandboxes are inside two of them. */
const ownProcesses = 2

const start = async (options: BubblewrapOptions, spec: LaunchSpec, { group, stage, tmp }: Prepared): Promise<Sandbox> => {
  const { key, ...program } = bubblewrapProgram(spec, { ...options, tmp, prefix: stage?.prefix ?? [] })
  const ready = async (pid: number): Promise<void> => {
    await stage?.entered(pid)
    await group?.enter(pid)
  }
  await group?.create({ ...spec.limits, pids: spec.limits.pids + (options.root ? 2 : 1) * ownProcesses })
  return launchProgram({ ...program, gate: { ready, key } }, endingOf(group))
}

const launch = async (options: BubblewrapOptions, spec: LaunchSpec): Promise<Sandbox> => {
  const { hierarchy, home, root, stage: programs } = options
  const id = `${spec.id}-${randomBytes(3).toString('hex')}`
  const group = hierarchy === null ? null : openGroup(hierarchy, groupPath(spec.unitId, id))
  const tmp = programs === null ? null : join(home, 'tmp')
  if (tmp !== null) await mkdir(tmp, { recursive: true, mode: 0o700 })
  const stage = programs === null || tmp === null ? null : await openStage(stageMounts(spec, tmp), { programs, home, root })
  try {
    return await start(options, spec, { group, stage, tmp })
  } catch (error) {
    await group?.remove()
    throw error
  } finally {
    await stage?.close()
  }
}

/** `--die-with-parent` ends every sandbox with the process that started it; only its control group stays. */
export const createBubblewrap = (options: BubblewrapOptions): Driver => ({
  name: 'bubblewrap',
  engine: 'bwrap',
  kernel: 'host',
  processBound: 'group',
  missing: missingWalls(options),
  owner: (identity) => (options.root ? hostIdentity(identity) : undefined),
  prepare: async (rootfs) => rootfs,
  prepareImage: (image) => unpackImage(image, options.home),
  launch: (spec) => launch(options, spec),
  reconcile: async (unitId) => (options.hierarchy === null ? 0 : removeGroups(options.hierarchy, unitId)),
})
