// The driver for bubblewrap, which needs neither a daemon nor root. Started by root, it first switches to the sandbox's host uid.
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
  /** Whether the unit runs as root. */
  readonly root: boolean
  /** Rendered system call filter; null where there is none for this architecture. */
  readonly filter: Uint8Array | null
  /** Null where mount flags cannot be set. */
  readonly stage: StagePrograms | null
  /** Null where no limits can be set. */
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
 * Derives the exit reason from kernel counters and ends everything left in the group: a bwrap that is killed at its start may leave a child
 * that has not set its parent death signal yet.
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

/** Each `bwrap` has two processes in the group, one outside of its process namespace and one as its first process. Sandboxes of root have two `bwrap`. */
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

/** `--die-with-parent` ends every sandbox with the process that started it; only its control group remains. */
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
