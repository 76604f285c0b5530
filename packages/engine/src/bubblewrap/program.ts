// The command line of a bubblewrap sandbox, from the first program to the agent.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'
import { programPath } from '@gatehouse/kernel'
import type { LaunchSpec, Mount } from '../driver.ts'
import type { Program } from '../launch.ts'
import { hardened, type StageMount } from '../mount-namespace.ts'

/** The command line of the inner `bwrap`, which builds every wall out of namespaces. */
const MiB = 1024 * 1024

export interface ArgumentParts {
  /** The filter is read from descriptor 3. */
  readonly seccomp: boolean
  /** `/tmp` is among the mounts; without a stage it is made here, where it cannot be told that nothing in it is a program. */
  readonly tmpMounted: boolean
  /** The root is not among the arguments, but read from descriptor 4. */
  readonly gate: boolean
}

const sandboxArguments = (spec: Omit<LaunchSpec, 'id' | 'unitId'>, parts: ArgumentParts): string[] =>
  [
    ['--unshare-all', '--unshare-user', '--hostname', 'sandbox'],
    ['--uid', String(sandboxUid), '--gid', String(sandboxUid)],
    parts.gate ? gateArguments : rootArguments(spec.rootfs, '/'),
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    parts.tmpMounted ? [] : ['--perms', '1777', '--size', String(spec.limits.tmpMiB * MiB), '--tmpfs', '/tmp'],
    spec.mounts.flatMap(mountArguments),
    ['--clearenv', ...Object.entries(spec.env).flatMap(([name, value]) => ['--setenv', name, value])],
    ['--chdir', '/', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    parts.seccomp ? ['--seccomp', '3'] : [],
    ['--', ...spec.command],
  ].flat()

const rootArguments = (rootfs: string, target: string): string[] => ['--ro-bind', rootfs, target]

/** Reading there is what holds bwrap back. */
const gateArguments = ['--args', '4'] as const

/** Whoever dies opens the gate too, but leaves no root behind it: then there is nothing to run. */
const gateKey = (rootfs: string, target: string): Uint8Array =>
  Buffer.from(
    rootArguments(rootfs, target)
      .map((argument) => `${argument}\0`)
      .join(''),
  )

const mountArguments = (mount: Mount): string[] => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, mount.target]

/** A tmpfs covers it inside the private namespace; the host's own is not touched. */
const stage = '/tmp'

const inodesPerMiB = 256

export interface ShowPrograms {
  readonly bwrap: string
  readonly setpriv: string
}

interface Shown {
  readonly rootfs: string
  readonly mounts: readonly Mount[]
  /** What comes before the inner `bwrap` on the command line. */
  readonly prefix: readonly string[]
  readonly key: Uint8Array
}

const mountFlag = ({ mode }: Mount): string => (mode === 'ro' ? '--ro-bind' : '--bind')

/** Each source over itself with its flags, and a small file system for `/tmp`; bwrap keeps the flags of what it binds. */
export const stageMounts = (spec: Pick<LaunchSpec, 'mounts' | 'limits'>, tmp: string): StageMount[] => [
  ...spec.mounts.map(({ source, mode }) => ({ source, target: source, options: ['bind', mode, ...hardened] })),
  {
    source: 'tmpfs',
    target: tmp,
    options: ['mode=1777', `size=${spec.limits.tmpMiB * MiB}`, `nr_inodes=${spec.limits.tmpMiB * inodesPerMiB}`, ...hardened],
  },
]

/**
 * Root's capabilities and groups end with `setpriv`: what builds the sandbox has neither.
 * The process namespace makes the kernel end all of it with its first process: a signal from a dead parent would not reach another uid.
 */
const showSources = (spec: Pick<LaunchSpec, 'rootfs' | 'mounts'>, identity: HostIdentity, programs: ShowPrograms): Shown => {
  const rootfs = `${stage}/root`
  const mounts = spec.mounts.map((mount, index) => ({ ...mount, source: `${stage}/mount-${index}` }))
  const prefix = [
    [programs.bwrap, '--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--tmpfs', stage, ...gateArguments],
    spec.mounts.flatMap((mount, index) => [mountFlag(mount), mount.source, mounts[index]?.source ?? stage]),
    ['--', programs.setpriv, '--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups'],
    ['--inh-caps=-all', '--bounding-set=-all', '--'],
  ]
  return { rootfs, mounts, prefix: prefix.flat(), key: gateKey(spec.rootfs, rootfs) }
}

export interface BubblewrapPrograms {
  readonly bwrap: string
  readonly setpriv: string
  readonly prlimit: string
}

export interface ProgramOptions {
  readonly programs: BubblewrapPrograms
  /** True where the unit is root. */
  readonly root: boolean
  /** Rendered system call filter; null where there is none for this machine. */
  readonly filter: Uint8Array | null
  /** Directory that the stage made a small file system of; null: there is no stage. */
  readonly tmp: string | null
  /** Enters the stage; empty where there is none. */
  readonly prefix: readonly string[]
}

/** Never 0: root without an identity of its own for the sandbox takes the one that means nobody on the host either. */
export const hostIdentity = (identity: HostIdentity | undefined): HostIdentity => {
  if (identity === undefined) return { uid: sandboxUid, gid: sandboxUid }
  if (identity.uid === 0 || identity.gid === 0) throw new TypeError('expected a host identity that is not root')
  return identity
}

const withTmp = (spec: LaunchSpec, tmp: string | null): LaunchSpec =>
  tmp === null ? spec : { ...spec, mounts: [{ source: tmp, target: '/tmp', mode: 'rw' }, ...spec.mounts] }

interface Line {
  readonly command: readonly string[]
  readonly key: Uint8Array
}

const lineOf = (given: LaunchSpec, { programs, root, filter, tmp }: ProgramOptions): Line => {
  const spec = withTmp(given, tmp)
  const parts = { seccomp: filter !== null, tmpMounted: tmp !== null }
  if (!root) return { command: [programs.bwrap, ...sandboxArguments(spec, { ...parts, gate: true })], key: gateKey(spec.rootfs, '/') }
  const shown = showSources(spec, hostIdentity(spec.identity), programs)
  const inner = sandboxArguments({ ...spec, rootfs: shown.rootfs, mounts: shown.mounts }, { ...parts, gate: false })
  return { command: [...shown.prefix, programs.bwrap, ...inner], key: shown.key }
}

/** `key`: what its gate takes. bwrap itself asks to die with its parent late: one whose parent died before that would stay. */
export const bubblewrapProgram = (spec: LaunchSpec, options: ProgramOptions): Program & { readonly key: Uint8Array } => {
  const { prlimit, setpriv } = options.programs
  const { command, key } = lineOf(spec, options)
  const bound = [setpriv, '--pdeathsig', 'KILL', '--', prlimit, '--nofile=1024:1024', '--core=0:0', '--', ...command]
  const [file = setpriv, ...args] = [...options.prefix, ...bound]
  return { file, args, env: { PATH: programPath }, descriptor3: options.filter ?? undefined, key }
}
