// Sandboxes by a container engine. A container outlives whoever started it, so it carries the installation's label.
import { randomBytes } from 'node:crypto'
import { type HostIdentity, ServiceError, sandboxUid } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Driver, Exit, LaunchSpec, Sandbox } from '../driver.ts'
import { launchProgram } from '../launch.ts'
import { profilePath } from '../rootfs/profile.ts'
import { readStamp } from '../rootfs/stamp.ts'
import type { Wall } from '../seal/walls.ts'
import { mapsIdentity, runArguments } from './arguments.ts'
import { type Engine, callEngine, clientEnvironment, removeContainers } from './engine.ts'
import { ensureImage } from './image.ts'
import { removeStrays } from './reconcile.ts'

const State = v.looseObject({ OOMKilled: v.boolean(), ExitCode: v.number() })

/**
 * Docker gives no group a host uid of its own, and cannot be asked for mount flags; Podman does not tell a kill for memory.
 * gVisor is a kernel of its own: it emulates two devices more, does not say whether privileges can be gained, and takes no filter from an engine.
 */
const missingWalls = (engine: Engine): Wall[] => [
  ...(engine.user === null ? [] : ['identity' as const]),
  ...(mapsIdentity(engine) ? [] : ['own-host-uid' as const]),
  ...(engine.name === 'docker' || engine.gvisor ? ['mount-flags' as const] : []),
  ...(engine.gvisor ? (['no-new-privileges', 'seccomp', 'devices'] as const) : []),
  ...(engine.limits && engine.name === 'docker' ? [] : ['memory-limit' as const]),
  ...(engine.limits ? [] : (['process-limit', 'cpu-limit'] as const)),
]

/** The host identity of 65532 inside; undefined where it is the unit's own. */
const ownerOf = (engine: Engine, identity: HostIdentity | undefined): HostIdentity | undefined => {
  if (engine.user !== null) return undefined
  return mapsIdentity(engine) && identity !== undefined ? identity : { uid: sandboxUid, gid: sandboxUid }
}

/** Why it ended; the engine knows of a kill for memory only while the container is there. */
const settle = async (engine: Engine, name: string, exit: Exit): Promise<Exit> => {
  const inspected = await callEngine(engine, ['container', 'inspect', '--format', '{{json .State}}', name])
  if (!inspected.ok) return exit
  const state = v.safeParse(v.pipe(v.string(), v.parseJson(), State), inspected.stdout)
  await removeContainers(engine, [name])
  return state.success && state.output.OOMKilled ? { ...exit, reason: 'out-of-memory' } : exit
}

/** `profile`: path of the system call filter; null: the engine's own. */
export const launchContainer = (engine: Engine, spec: LaunchSpec, profile: string | null): Promise<Sandbox> => {
  const name = `gatehouse-${spec.id}-${randomBytes(3).toString('hex')}`
  return launchProgram(
    { file: engine.file, args: runArguments(engine, spec, { name, profile }), env: clientEnvironment, inheritEnvironment: true },
    {
      end: async () => {
        await removeContainers(engine, [name])
      },
      settle: (exit) => settle(engine, name, exit),
    },
  )
}

export const createContainer = (engine: Engine): Driver => {
  const profiles = new Map<string, string>()
  const prepare = async (rootfs: string): Promise<string> => {
    const stamp = await readStamp(rootfs)
    if (stamp === null)
      throw new ServiceError('no-sandbox', { detail: `${rootfs} is not an assembled root file system`, hint: 'run the build again' })
    const image = await ensureImage(engine, { tag: `gatehouse-sandbox:${stamp.digest.slice(0, 12)}`, directory: rootfs, entries: ['.'] })
    profiles.set(image, profilePath(rootfs))
    return image
  }
  const launch = async (spec: LaunchSpec): Promise<Sandbox> => {
    const profile = profiles.get(spec.rootfs)
    if (profile === undefined) throw new TypeError(`expected a root file system that prepare() returned, got ${spec.rootfs}`)
    return launchContainer(engine, spec, profile)
  }
  return {
    name: 'container',
    missing: missingWalls(engine),
    owner: (identity) => ownerOf(engine, identity),
    prepare,
    launch,
    reconcile: (installation) => removeStrays(engine, installation),
  }
}
