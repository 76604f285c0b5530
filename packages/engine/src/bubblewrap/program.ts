// The command line of a bubblewrap sandbox, from the first program to the agent.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'
import { programPath } from '@gatehouse/kernel'
import type { LaunchSpec, Mount } from '../driver.ts'
import type { Program } from '../launch.ts'
import { hardened, type StageMount } from '../mount-namespace.ts'

/** The command line of the inner `bwrap`, which builds the sandbox from namespaces. */
const MiB = 1024 * 1024

export interface ArgumentParts {
  /** The filter is read from descriptor 3. */
  readonly seccomp: boolean
  /** `/tmp` is among the mounts. Without a stage it is created here, where bwrap cannot mount it noexec. */
  readonly tmpMounted: boolean
  /** The root is read from descriptor 4 instead of the arguments. */
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

/** Reading from it delays bwrap. */
const gateArguments = ['--args', '4'] as const

/** If the unit dies, the descriptor closes without naming a root, and bwrap has nothing to run. */
const gateKey = (rootfs: string, target: string): Uint8Array =>
  Buffer.from(
    rootArguments(rootfs, target)
      .map((argument) => `${argument}\0`)
      .join(''),
  )

const mountArguments = (mount: Mount): string[] => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, mount.target]

/** A tmpfs covers it in the private namespace; the host's directory is not changed. */
const stage = '/tmp'

const inodesPerMiB = 256

export interface ShowPrograms {
  readonly bwrap: string
  readonly setpriv: string
}

interface Shown {
  readonly rootfs: string
  readonly mounts: readonly Mount[]
  /** The part of the command line before the inner `bwrap`. */
  readonly prefix: readonly string[]
  readonly key: Uint8Array
}

const mountFlag = ({ mode }: Mount): string => (mode === 'ro' ? '--ro-bind' : '--bind')

/** Mounts each source over itself with its flags, and a small file system for `/tmp`; bwrap keeps the flags of its bind sources. */
export const stageMounts = (spec: Pick<LaunchSpec, 'mounts' | 'limits'>, tmp: string): StageMount[] => [
  ...spec.mounts.map(({ source, mode }) => ({ source, target: source, options: ['bind', mode, ...hardened] })),
  {
    source: 'tmpfs',
    target: tmp,
    options: ['mode=1777', `size=${spec.limits.tmpMiB * MiB}`, `nr_inodes=${spec.limits.tmpMiB * inodesPerMiB}`, ...hardened],
  },
]

/**
 * `setpriv` drops root's capabilities and groups before the sandbox is built. The process namespace makes the kernel end all processes
 * with the first one: a parent death signal would not reach another uid.
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
  /** Directory on which the stage mounted a small file system; null without a stage. */
  readonly tmp: string | null
  /** The command prefix that enters the stage; empty without one. */
  readonly prefix: readonly string[]
}

/** Never 0: if root has no identity for the sandbox, it uses one that no user of the host has. */
export const hostIdentity = (identity: HostIdentity | undefined): HostIdentity => {
  if (identity === undefined) return { uid: sandboxUid, gid: sandboxUid }
  if (identity.uid === 0 || identity.gid === 0) throw new TypeError('the host identity of a sandbox must not be root')
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

/** Sets a parent death signal early: bwrap sets its own late and would survive a parent that dies before. @param key what the start gate expects */
export const bubblewrapProgram = (spec: LaunchSpec, options: ProgramOptions): Program & { readonly key: Uint8Array } => {
  const { prlimit, setpriv } = options.programs
  const { command, key } = lineOf(spec, options)
  const bound = [setpriv, '--pdeathsig', 'KILL', '--', prlimit, '--nofile=1024:1024', '--core=0:0', '--', ...command]
  const [file = setpriv, ...args] = [...options.prefix, ...bound]
  return { file, args, env: { PATH: programPath }, descriptor3: options.filter ?? undefined, key }
}
