// The command line of `docker run` and `podman run`, with every control that an engine supports.
import { limits, sandboxUid, ServiceError } from '@gatehouse/contracts'
import { callEngine, type Engine, removeContainers } from '../container-client/client.ts'
import type { LaunchSpec, Mount } from '../driver.ts'

export const unitLabel = 'gatehouse.unit'

/** Docker parses the value as CSV. */
const field = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const dockerMount = ({ source, target, mode }: Mount): string[] => [
  '--mount',
  ['type=bind', field(`source=${source}`), field(`target=${target}`), ...(mode === 'ro' ? ['readonly'] : [])].join(','),
]

/** Podman supports the mount flags that Docker does not, but no colon in a path. */
const podmanMount = ({ source, target, mode }: Mount): string[] => {
  if (source.includes(':')) throw new TypeError(`podman cannot mount a path with a colon: ${source}`)
  return ['--volume', `${source}:${target}:${mode},nosuid,nodev,noexec`]
}

/** A reserved address (RFC 5737) instead of the host's resolver, which Docker would write to /etc/resolv.conf. There is no network to reach it. */
export const noResolver = '192.0.2.1'
export const resolverArguments = ({ name }: Pick<Engine, 'name'>): string[] =>
  name === 'docker' ? ['--dns', noResolver, '--dns-search', '.'] : []

/** Runtimes use the mode of the image's /tmp and ignore the option, so the mount must belong to the user that writes to it. */
export const tmpArguments = ({ name, user }: Pick<Engine, 'name' | 'user'>, MiB: number): string[] => {
  const { uid, gid } = user ?? { uid: sandboxUid, gid: sandboxUid }
  const owner = { docker: `,uid=${uid},gid=${gid}`, podman: ',U', nerdctl: '' }[name]
  return ['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,size=${MiB}m,mode=1777${owner}`]
}

export const mountArguments = (engine: Engine, mounts: readonly Mount[]): string[] =>
  mounts.flatMap(engine.name === 'podman' ? podmanMount : dockerMount)

const only = {
  docker: ['--ipc', 'none'],
  // It cannot omit shared memory, so it gets a minimal, read-only one.
  nerdctl: ['--ipc', 'private', '--tmpfs', '/dev/shm:ro,nosuid,nodev,noexec,size=65536'],
  podman: ['--ipc', 'none', '--read-only-tmpfs=false', '--unsetenv-all', '--no-hosts', '--cgroups', 'enabled'],
} as const

/** Podman maps 65532 to the identity in one contiguous range. gVisor's file server could not reach the unit's sockets through that. */
export const mapsIdentity = ({ name, gvisor, user }: Engine): boolean => name === 'podman' && !gvisor && user === null

const userArguments = (engine: Engine, { identity }: LaunchSpec): string[] => {
  const inside = ['--user', `${sandboxUid}:${sandboxUid}`]
  if (engine.user !== null) return ['--user', `${engine.user.uid}:${engine.user.gid}`]
  if (identity === undefined) return inside
  if (!mapsIdentity(engine)) return [...inside, '--group-add', String(identity.gid)]
  const map = (id: number): string => {
    if (id <= sandboxUid) throw new TypeError(`the host id ${id} is not above ${sandboxUid}`)
    return `0:${id - sandboxUid}:${sandboxUid + 1}`
  }
  return [...inside, '--uidmap', map(identity.uid), '--gidmap', map(identity.gid)]
}

/** The kernel counts per host uid, so the limit works only where that uid belongs to the sandbox, or where gVisor counts. */
export const countsInside = (engine: Engine): boolean => engine.gvisor || mapsIdentity(engine)

/** Podman's default exceeds the limit of some hosts. */
const processLimit = (engine: Engine, processes: number): string[] => {
  if (countsInside(engine)) return ['--ulimit', `nproc=${processes}:${processes}`]
  return engine.name === 'podman' ? ['--ulimit', 'nproc=4096:4096'] : []
}

/** The limit is set on the unit's control group of the container, if there is one. Docker sets it too, because its daemon may see other groups. */
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
  /** Path of the system call filter; null for the engine's default. */
  readonly profile: string | null
  /** Control group of the container; null for the engine's choice. */
  readonly parent?: string | null
}

export const runArguments = (engine: Engine, spec: LaunchSpec, { name, profile, parent = null }: ContainerParts): string[] =>
  [
    engine.global,
    parent === null || engine.name === 'docker' ? [] : ['--cgroup-manager', 'cgroupfs'],
    ['run', '--name', name, '--label', `${unitLabel}=${spec.unitId}`],
    engine.runtime === null ? [] : ['--runtime', engine.runtime],
    // gVisor does not pass on its stdin: without a pipe that would be the host's /dev/null.
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

/** @param label of the containers; by default that of sandboxes */
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
