// What comes before a sandbox: mounts get the flags that bwrap cannot give; root shows them to a host uid that cannot walk to them, and becomes it.
import type { HostIdentity } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'
import { hardened, type StageMount } from '../stage/fstab.ts'
import { gateArguments, gateKey } from './arguments.ts'

/** A tmpfs covers it inside the private namespace; the host's own is not touched. */
const stage = '/tmp'

const MiB = 1024 * 1024
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
export const showSources = (spec: Pick<LaunchSpec, 'rootfs' | 'mounts'>, identity: HostIdentity, programs: ShowPrograms): Shown => {
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
