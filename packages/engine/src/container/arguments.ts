// The command line of `docker run` and `podman run`, with every control that an engine supports.
import { limits, sandboxUid, ServiceError } from '@gatehouse/contracts'
import { callEngine, type Engine, removeContainers } from '../container-client/client.ts'
import type { LaunchSpec, Mount } from '../driver.ts'

export const unitLabel = 'gatehouse.unit'

/** Docker reads a line of CSV. */
const field = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const dockerMount = ({ source, target, mode }: Mount): string[] => [
  '--mount',
  ['type=bind', field(`source=${source}`), field(`target=${target}`), ...(mode === 'ro' ? ['readonly'] : [])].join(','),
]

/** Podman takes the flags that Docker cannot be asked for, but no colon in a path. */
const podmanMount = ({ source, target, mode }: Mount): string[] => {
  if (source.includes(':')) throw new TypeError(`expected a path without a colon for podman, got ${source}`)
  return ['--volume', `${source}:${target}:${mode},nosuid,nodev,noexec`]
}

/** A resolver of nobody (RFC 5737) in place of the host's, which Docker would write into /etc/resolv.conf. There is no network to ask it by. */
export const noResolver = '192.0.2.1'
export const resolverArguments = ({ name }: Pick<Engine, 'name'>): string[] =>
  name === 'docker' ? ['--dns', noResolver, '--dns-search', '.'] : []

/** Runtimes give it the mode of the image's /tmp, whatever they are asked for: so it belongs to whoever is to write there. */
export const tmpArguments = ({ name, user }: Pick<Engine, 'name' | 'user'>, MiB: number): string[] => {
  const { uid, gid } = user ?? { uid: sandboxUid, gid: sandboxUid }
  const owner = { docker: `,uid=${uid},gid=${gid}`, podman: ',U', nerdctl: '' }[name]
  return ['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,size=${MiB}m,mode=1777${owner}`]
}

export const mountArguments = (engine: Engine, mounts: readonly Mount[]): string[] =>
  mounts.flatMap(engine.name === 'podman' ? podmanMount : dockerMount)

const only = {
  docker: ['--ipc', 'none'],
  // It cannot leave out the memory that is shared, so there is next to none, and nobody writes it.
  nerdctl: ['--ipc', 'private', '--tmpfs', '/dev/shm:ro,nosuid,nodev,noexec,size=65536'],
  podman: ['--ipc', 'none', '--read-only-tmpfs=false', '--unsetenv-all', '--no-hosts', '--cgroups', 'enabled'],
} as const

/** Podman maps 65532 to the identity in one contiguous run; gVisor's file server could not reach the unit's sockets through it. */
export const mapsIdentity = ({ name, gvisor, user }: Engine): boolean => name === 'podman' && !gvisor && user === null

const userArguments = (engine: Engine, { identity }: LaunchSpec): string[] => {
  const inside = ['--user', `${sandboxUid}:${sandboxUid}`]
  if (engine.user !== null) return ['--user', `${engine.user.uid}:${engine.user.gid}`]
  if (identity === undefined) return inside
  if (!mapsIdentity(engine)) return [...inside, '--group-add', String(identity.gid)]
  const map = (id: number): string => {
    if (id <= sandboxUid) throw new TypeError(`expected a host id above ${sandboxUid}, got ${id}`)
    return `0:${id - sandboxUid}:${sandboxUid + 1}`
  }
  return [...inside, '--uidmap', map(identity.uid), '--gidmap', map(identity.gid)]
}

/** Counted for a host uid, so it holds inside only where that is the sandbox's own, or where gVisor counts. */
export const countsInside = (engine: Engine): boolean => engine.gvisor || mapsIdentity(engine)

/** Podman's default is more than some hosts may give. */
const processLimit = (engine: Engine, processes: number): string[] => {
  if (countsInside(engine)) return ['--ulimit', `nproc=${processes}:${processes}`]
  return engine.name === 'podman' ? ['--ulimit', 'nproc=4096:4096'] : []
}

/** Set on the group that the container is made in where that is ours; and by Docker, whose daemon may see other groups than we do. */
const groupLimits = (engine: Engine, { limits: asked }: LaunchSpec, parent: string | null): string[] => {
  if (parent !== null && engine.name !== 'docker') return ['--pids-limit', '0']
  return [
    ['--memory', `${asked.memoryMiB}m`, '--memory-swap', `${asked.memoryMiB}m`, '--cpus', String(asked.cpus)],
    ['--cpu-shares', String(limits.sandboxCpuShares)],
    ['--pids-limit', String(engine.gvisor ? Math.max(asked.pids, limits.sandboxPidsGvisor) : asked.pids)],
  ].flat()
}

const limitArguments = (engine: Engine, { limits: asked }: LaunchSpec): string[] =>
  [
    ['--ulimit', 'nofile=1024:1024', '--ulimit', 'core=0:0', ...processLimit(engine, asked.processes)],
    tmpArguments(engine, asked.tmpMiB),
  ].flat()

export interface ContainerParts {
  readonly name: string
  /** Path of the system call filter; null: the engine's own. */
  readonly profile: string | null
  /** Control group that the container is made in; null: the engine's own choice. */
  readonly parent?: string | null
}

export const runArguments = (engine: Engine, spec: LaunchSpec, { name, profile, parent = null }: ContainerParts): string[] =>
  [
    engine.global,
    parent === null || engine.name === 'docker' ? [] : ['--cgroup-manager', 'cgroupfs'],
    ['run', '--name', name, '--label', `${unitLabel}=${spec.unitId}`],
    engine.runtime === null ? [] : ['--runtime', engine.runtime],
    // gVisor gives its stdin to nobody: without a pipe that would be the host's /dev/null.
    engine.gvisor ? ['--interactive'] : [],
    parent === null ? [] : ['--cgroup-parent', parent],
    ['--pull', 'never', '--log-driver', 'none', '--network', 'none', '--hostname', 'sandbox', '--workdir', '/'],
    ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    profile === null || !engine.filters ? [] : ['--security-opt', `seccomp=${profile}`],
    only[engine.name],
    resolverArguments(engine),
    userArguments(engine, spec),
    groupLimits(engine, spec, parent),
    limitArguments(engine, spec),
    mountArguments(engine, spec.mounts),
    Object.entries(spec.env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    [spec.rootfs, ...spec.command],
  ].flat()

/** `label`: which of its containers; by default its sandboxes. */
export const removeOrphans = async (
  engine: Pick<Engine, 'name' | 'file' | 'global'>,
  unitId: string,
  label: string = unitLabel,
): Promise<number> => {
  const listed = await callEngine(engine, ['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${label}=${unitId}`])
  if (!listed.ok)
    throw new ServiceError('no-sandbox', { detail: `${engine.name} ps failed: ${listed.stderr}`, hint: `start ${engine.name}` })
  const ids = listed.stdout.split('\n').filter((id) => id !== '')
  if (ids.length === 0) return 0
  const removed = await removeContainers(engine, ids)
  if (!removed.ok) throw new ServiceError('no-sandbox', { detail: `${engine.name} rm failed: ${removed.stderr}` })
  return ids.length
}
