// What root does before a sandbox: shows its sources to a host uid that cannot walk to them, in a private mount namespace, then becomes that uid.
import type { HostIdentity } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'

/** A tmpfs covers it inside the private namespace; the host's own is not touched. */
const stage = '/tmp'

export interface StagePrograms {
  readonly bwrap: string
  readonly setpriv: string
}

interface Staged {
  readonly rootfs: string
  readonly mounts: readonly Mount[]
  /** What comes before the inner `bwrap` on the command line. */
  readonly prefix: readonly string[]
}

const mountFlag = ({ mode }: Mount): string => (mode === 'ro' ? '--ro-bind' : '--bind')

/**
 * Root's capabilities and groups end with `setpriv`: what builds the sandbox has neither.
 * The process namespace makes the kernel end all of it with its first process: a signal from a dead parent would not reach another uid.
 */
export const stageSources = (spec: Pick<LaunchSpec, 'rootfs' | 'mounts'>, identity: HostIdentity, programs: StagePrograms): Staged => {
  const rootfs = `${stage}/root`
  const mounts = spec.mounts.map((mount, index) => ({ ...mount, source: `${stage}/mount-${index}` }))
  const prefix = [
    [programs.bwrap, '--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--tmpfs', stage],
    ['--ro-bind', spec.rootfs, rootfs],
    spec.mounts.flatMap((mount, index) => [mountFlag(mount), mount.source, mounts[index]?.source ?? stage]),
    ['--', programs.setpriv, '--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups'],
    ['--inh-caps=-all', '--bounding-set=-all', '--'],
  ]
  return { rootfs, mounts, prefix: prefix.flat() }
}
