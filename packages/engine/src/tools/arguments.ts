// Builds the command line of a tool server in a container.
import { access, constants } from 'node:fs/promises'
import { type HostIdentity, limits, sandboxUid } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'
import type { Engine } from '../container-client/client.ts'
import { mountArguments, resolverArguments, tmpArguments } from '../container/arguments.ts'
import type { ToolOrder } from './run.ts'

/** Below the ids of all groups, so that no sandbox shares it. */
const own: HostIdentity = { uid: 699_999, gid: 799_999 }

/** Undefined where the unit does not map ids: Docker has one mapping for all, and without root the engine chooses. */
const toolIdentity = ({ name, gvisor, user }: Engine): HostIdentity | undefined =>
  name === 'podman' && !gvisor && user === null ? own : undefined

/** Owner of a directory that the server writes to; undefined where the unit cannot change owners. */
export const toolOwner = (engine: Engine): HostIdentity | undefined =>
  engine.user === null ? (toolIdentity(engine) ?? { uid: sandboxUid, gid: sandboxUid }) : undefined

/** Not the label of sandboxes, because both are cleaned up separately. */
export const toolsLabel = 'gatehouse.tools'

const walls = (profile: string): string[][] => [
  ['--network', 'none'],
  ['--read-only'],
  ['--cap-drop', 'ALL'],
  ['--security-opt', 'no-new-privileges'],
  ['--security-opt', `seccomp=${profile}`],
  ['--user', `${sandboxUid}:${sandboxUid}`],
  ['--ipc', 'private'],
  ['--cgroupns', 'private'],
]

const bounds = (engine: Engine): string[][] => [
  ['--pids-limit', String(engine.gvisor ? limits.sandboxPidsGvisor : limits.toolPids)],
  ['--memory', `${limits.toolMemoryMiB}m`],
  ['--memory-swap', `${limits.toolMemoryMiB}m`],
  ['--cpus', String(limits.toolCpus)],
  ['--cpu-shares', String(limits.sandboxCpuShares)],
  // A server runs as 65532 in the container, whoever runs the engine.
  tmpArguments({ name: engine.name, user: null }, limits.toolTmpMiB),
  resolverArguments(engine),
  ['--ulimit', 'nofile=1024:1024'],
  ['--ulimit', 'core=0:0'],
]

/** Disables defaults of Podman, and sets a user namespace in which 65532 maps to an unused host uid. */
const podman = (engine: Engine): string[][] => {
  const identity = toolIdentity(engine)
  const map = (id: number): string => `0:${id - sandboxUid}:${sandboxUid + 1}`
  return [
    ['--read-only-tmpfs=false', '--unsetenv-all', '--no-hosts', '--cgroups', 'enabled', '--ulimit', 'nproc=4096:4096'],
    identity === undefined ? [] : ['--uidmap', map(identity.uid), '--gidmap', map(identity.gid)],
  ]
}

/** The writable home directory: in memory, or the server's own directory. */
const homeOf = ({ mounts }: ToolOrder): string => (mounts.some(({ target }) => target === '/data') ? '/data' : '/tmp')

export interface ToolHost {
  readonly engine: Engine
  /** The flags that add an init process. */
  readonly init: readonly string[]
}

export const toolArguments = ({ engine, init }: ToolHost, order: ToolOrder): string[] =>
  [
    engine.global,
    ['run', '--rm', '-i', ...init, '--name', order.name, '--label', `${toolsLabel}=${order.unitId}`],
    ...walls(order.profile),
    ...bounds(engine),
    ['--hostname', 'tool', '--pull', 'never', '--log-driver', 'none'],
    ...(engine.name === 'podman' ? podman(engine) : []),
    engine.runtime === null ? [] : ['--runtime', engine.runtime],
    mountArguments(engine, order.mounts),
    ['--env', `HOME=${homeOf(order)}`],
    Object.keys(order.env).flatMap((name) => ['--env', name]),
    ['--entrypoint', order.command, order.image, ...order.args],
  ].flat()

/** Statically linked, because it is mounted into images without a loader. */
const packaged = '/usr/libexec/podman/catatonit'
const candidates = ['catatonit', 'docker-init', 'tini-static'] as const

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Arguments that add an init process, or the reason why the engine has none. */
export const initArguments = async ({ name }: Pick<Engine, 'name'>): Promise<string[] | { readonly refused: string }> => {
  if (name !== 'podman' || (await isThere(packaged))) return ['--init']
  for (const candidate of candidates) {
    const path = await findProgram(candidate)
    if (path !== null) return ['--init', '--init-path', path]
  }
  return { refused: 'podman has no init process for containers: apt-get install catatonit' }
}
