// The driver for container engines. A container outlives the process that started it, so it has the unit's label.
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type HostIdentity, limits, sandboxUid, ServiceError } from '@gatehouse/contracts'
import { removeGroups } from '../cgroup/cleanup.ts'
import { groupPath, openGroup } from '../cgroup/group.ts'
import type { Hierarchy } from '../cgroup/hierarchy.ts'
import { reasonOf } from '../cgroup/usage.ts'
import type { Engine } from '../container-client/client.ts'
import { ensureImage, findNamedImage } from '../container-client/images.ts'
import type { Control, Driver, Exit, LaunchSpec, Sandbox } from '../driver.ts'
import { profilePath, readStamp, writeProfiles } from '../rootfs/layout.ts'
import { countsInside, mapsIdentity, removeOrphans } from './arguments.ts'
import { launchContainer, premount, type PremountPrograms, removePremounts } from './launch.ts'

export interface ContainerOptions {
  readonly engine: Engine
  /** Null where the host's mounts cannot or need not be prepared. */
  readonly premount: PremountPrograms | null
  /** Private directory for prepared mounts. */
  readonly home: string
  /** Containers are created in control groups of the unit, because engines do not report every out-of-memory kill. Null: in their own groups. */
  readonly hierarchy: Hierarchy | null
}

/**
 * Docker and nerdctl cannot give each agent group its own host uid. Podman and nerdctl do not report out-of-memory kills, so they have
 * `memory-limit` only in control groups of the unit. Prepared mounts keep their flags, except under gVisor.
 */
const missingWalls = ({ engine, premount: programs, hierarchy }: ContainerOptions): Control[] => [
  ...(engine.user === null ? [] : ['identity' as const]),
  ...(mapsIdentity(engine) ? [] : ['own-host-uid' as const]),
  ...(engine.name !== 'podman' && (engine.gvisor || programs === null) ? ['mount-flags' as const] : []),
  ...(engine.filters ? [] : ['seccomp' as const]),
  ...(engine.limits && (engine.name === 'docker' || hierarchy !== null) ? [] : ['memory-limit' as const]),
  ...(engine.limits ? [] : (['process-limit', 'cpu-limit'] as const)),
]

/** The host identity of 65532 in the sandbox; undefined where it is the unit itself. */
const ownerOf = (engine: Engine, identity: HostIdentity | undefined): HostIdentity | undefined => {
  if (engine.user !== null) return undefined
  return mapsIdentity(engine) && identity !== undefined ? identity : { uid: sandboxUid, gid: sandboxUid }
}

type After = (exit: Exit) => Promise<Exit>

/** A kill with full memory counts as out-of-memory: the kernel's counter was in the engine's group, which is gone. */
const launchInGroup = async (
  engine: Engine,
  spec: LaunchSpec,
  { profile, hierarchy, after }: { profile: string; hierarchy: Hierarchy; after?: After },
): Promise<Sandbox> => {
  const group = openGroup(hierarchy, groupPath(spec.unitId, `${spec.id}-${randomBytes(3).toString('hex')}`))
  const pids = engine.gvisor ? Math.max(spec.limits.pids, limits.sandboxPidsGvisor) : spec.limits.pids
  await group.create({ ...spec.limits, pids })
  const settle = async (exit: Exit): Promise<Exit> => {
    await after?.(exit)
    const usage = await group.usage()
    await group.remove()
    return usage.memoryFull && exit.signal === 'SIGKILL' ? { ...exit, reason: 'out-of-memory' } : reasonOf(exit, usage)
  }
  try {
    const sandbox = await launchContainer(engine, spec, { profile, parent: group.path, after: settle })
    return engine.name === 'docker' ? sandbox : { ...sandbox, usage: () => group.usage() }
  } catch (error) {
    await group.remove()
    throw error
  }
}

const launchIn = (options: ContainerOptions, spec: LaunchSpec, parts: { profile: string; after?: After }): Promise<Sandbox> => {
  const { engine, hierarchy } = options
  return hierarchy === null ? launchContainer(engine, spec, parts) : launchInGroup(engine, spec, { ...parts, hierarchy })
}

const launch = async (options: ContainerOptions, spec: LaunchSpec, profile: string): Promise<Sandbox> => {
  const { premount: programs, home } = options
  if (programs === null) return launchIn(options, spec, { profile })
  const made = await premount(programs, spec.mounts, home)
  const after = async (exit: Exit): Promise<Exit> => {
    await made.remove()
    return exit
  }
  try {
    return await launchIn(options, { ...spec, mounts: made.mounts }, { profile, after })
  } catch (error) {
    await made.remove()
    throw error
  }
}

const imageOf = async (engine: Engine, rootfs: string): Promise<string> => {
  const stamp = await readStamp(rootfs)
  if (stamp === null)
    throw new ServiceError('no-sandbox', { detail: `${rootfs} is not an assembled root file system`, hint: 'run the build again' })
  return ensureImage(engine, { tag: `gatehouse-sandbox:${stamp.digest.slice(0, 12)}`, directory: rootfs, entries: ['.'] })
}

export const createContainer = (options: ContainerOptions): Driver => {
  const { engine, premount: programs, home, hierarchy } = options
  const profiles = new Map<string, string>()
  return {
    name: 'container',
    engine: engine.label,
    kernel: engine.gvisor ? 'gvisor' : 'host',
    processBound: countsInside(engine) ? 'inside' : 'group',
    missing: missingWalls(options),
    owner: (identity) => ownerOf(engine, identity),
    async prepare(rootfs) {
      const image = await imageOf(engine, rootfs)
      profiles.set(image, profilePath(rootfs, engine))
      return image
    },
    async prepareImage(name) {
      const image = await findNamedImage(engine, name)
      await mkdir(home, { recursive: true, mode: 0o700 })
      const beside = join(home, 'image')
      await writeProfiles(beside)
      profiles.set(image, profilePath(beside, engine))
      return image
    },
    async launch(spec) {
      const profile = profiles.get(spec.rootfs)
      if (profile === undefined) throw new TypeError(`${spec.rootfs} was not returned by prepare()`)
      return launch(options, spec, profile)
    },
    async reconcile(unitId) {
      const removed = await removeOrphans(engine, unitId)
      if (programs !== null) await removePremounts(programs, home)
      const groups = hierarchy === null ? 0 : await removeGroups(hierarchy, unitId)
      return Math.max(removed, groups)
    },
  }
}
