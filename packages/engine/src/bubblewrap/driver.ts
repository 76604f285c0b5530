// Sandboxes by bubblewrap: no daemon, no root needed. Started by root, it becomes the sandbox's own host uid first.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'
import type { Driver, LaunchSpec } from '../driver.ts'
import { type Program, launchProgram } from '../launch.ts'
import { programPath } from '../programs.ts'
import type { Wall } from '../seal/walls.ts'
import { sandboxArguments } from './arguments.ts'
import { stageSources } from './stage.ts'

interface BubblewrapPrograms {
  readonly bwrap: string
  readonly setpriv: string
  readonly prlimit: string
}

export interface BubblewrapOptions {
  readonly programs: BubblewrapPrograms
  /** True where the unit is root. */
  readonly root: boolean
  /** Rendered system call filter; null where there is none for this machine. */
  readonly filter: Uint8Array | null
}

/** Never 0: root without an identity of its own for the sandbox takes the one that means nobody on the host either. */
const hostIdentity = (identity: HostIdentity | undefined): HostIdentity => {
  if (identity === undefined) return { uid: sandboxUid, gid: sandboxUid }
  if (identity.uid === 0 || identity.gid === 0) throw new TypeError('expected a host identity that is not root')
  return identity
}

const commandLine = (spec: LaunchSpec, { programs, root, filter }: BubblewrapOptions): readonly string[] => {
  const seccomp = { seccomp: filter !== null }
  if (!root) return [programs.bwrap, ...sandboxArguments(spec, seccomp)]
  const staged = stageSources(spec, hostIdentity(spec.identity), programs)
  return [...staged.prefix, programs.bwrap, ...sandboxArguments({ ...spec, rootfs: staged.rootfs, mounts: staged.mounts }, seccomp)]
}

const missingWalls = ({ root, filter }: BubblewrapOptions): Wall[] => [
  ...(root ? [] : ['own-host-uid' as const]),
  'mount-flags',
  ...(filter === null ? ['seccomp' as const] : []),
  'memory-limit',
  'process-limit',
  'cpu-limit',
]

export const bubblewrapProgram = (spec: LaunchSpec, options: BubblewrapOptions): Program => ({
  file: options.programs.prlimit,
  args: ['--nofile=1024:1024', '--core=0:0', '--', ...commandLine(spec, options)],
  env: { PATH: programPath },
  descriptor3: options.filter ?? undefined,
})

/** Nothing to reconcile: `--die-with-parent` ends every sandbox with the process that started it. */
export const createBubblewrap = (options: BubblewrapOptions): Driver => ({
  name: 'bubblewrap',
  missing: missingWalls(options),
  owner: (identity) => (options.root ? hostIdentity(identity) : undefined),
  prepare: async (rootfs) => rootfs,
  launch: async (spec) => launchProgram(bubblewrapProgram(spec, options)),
  reconcile: async () => 0,
})
