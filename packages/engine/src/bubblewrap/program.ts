// The command line that becomes a sandbox by bubblewrap, from the first program to the last.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'
import { programPath } from '@gatehouse/kernel'
import type { LaunchSpec } from '../driver.ts'
import type { Program } from '../launch.ts'
import { gateKey, sandboxArguments } from './arguments.ts'
import { showSources } from './stage.ts'

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
