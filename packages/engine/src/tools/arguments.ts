// The command line that starts a tool server in a container: the template that every one of them runs by, flag by flag.
import { limits, sandboxUid } from '@gatehouse/contracts'
import { mountArguments, resolverArguments, tmpArguments } from '../container/arguments.ts'
import type { Engine } from '../container/engine.ts'
import type { ToolOrder } from './order.ts'
import { toolIdentity } from './identity.ts'

/** Another label than that of sandboxes: each is looked after by itself. */
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
  // A server is 65532 inside, whoever drives the engine.
  tmpArguments({ name: engine.name, user: null }, limits.toolTmpMiB),
  resolverArguments(engine),
  ['--ulimit', 'nofile=1024:1024'],
  ['--ulimit', 'core=0:0'],
]

/** What Podman does by itself and is asked not to; and a user namespace, in which 65532 is a host uid of nobody. */
const podman = (engine: Engine): string[][] => {
  const identity = toolIdentity(engine)
  const map = (id: number): string => `0:${id - sandboxUid}:${sandboxUid + 1}`
  return [
    ['--read-only-tmpfs=false', '--unsetenv-all', '--no-hosts', '--cgroups', 'enabled', '--ulimit', 'nproc=4096:4096'],
    identity === undefined ? [] : ['--uidmap', map(identity.uid), '--gidmap', map(identity.gid)],
  ]
}

/** Where a program may write: in memory, or in a directory of its own. */
const homeOf = ({ mounts }: ToolOrder): string => (mounts.some(({ target }) => target === '/data') ? '/data' : '/tmp')

export interface ToolHost {
  readonly engine: Engine
  /** What turns the first process on. */
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
