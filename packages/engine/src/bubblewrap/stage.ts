// What root does before a sandbox: shows its sources to a host uid that cannot walk to them, in a private mount namespace, then becomes that uid.
import type { HostIdentity } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'

/** A tmpfs covers it inside the private namespace; the host's own is not touched. */
const stage = '/tmp'

interface Staged {
  readonly rootfs: string
  readonly mounts: readonly Mount[]
  /** What comes before the inner `bwrap` on the command line. */
  readonly prefix: readonly string[]
}

/** Root's capabilities and groups end with `setpriv`: what builds the sandbox has neither. */
export const stageSources = (spec: Pick<LaunchSpec, 'rootfs' | 'mounts'>, identity: HostIdentity, programs: { bwrap: string; setpriv: string }): Staged => {
  const mounts = spec.mounts.map((mount, index) => ({ ...mount, source: `${stage}/mount-${index}` }))
  const rootfs = `${stage}/root`
  const binds = [
    ...['--ro-bind', spec.rootfs, rootfs],
    ...spec.mounts.flatMap((mount, index) => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, `${stage}/mount-${index}`]),
  ]
  const become = ['--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups', '--inh-caps=-all', '--bounding-set=-all']
  return {
    rootfs,
    mounts,
    prefix: [programs.bwrap, '--unshare-pid', '--dev-bind', '/', '/', '--tmpfs', stage, ...binds, '--die-with-parent', '--', programs.setpriv, ...become, '--'],
  }
}
