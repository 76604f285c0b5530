// The command line of the inner `bwrap`, which builds every wall out of namespaces.
import { sandboxUid } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'

const MiB = 1024 * 1024

/** `seccomp`: the filter is read from descriptor 3. */
export const sandboxArguments = (spec: Omit<LaunchSpec, 'id' | 'installation'>, options: { readonly seccomp: boolean }): string[] =>
  [
    ['--unshare-all', '--unshare-user', '--hostname', 'sandbox'],
    ['--uid', String(sandboxUid), '--gid', String(sandboxUid)],
    ['--ro-bind', spec.rootfs, '/'],
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    ['--perms', '1777', '--size', String(spec.limits.tmpMiB * MiB), '--tmpfs', '/tmp'],
    spec.mounts.flatMap(mountArguments),
    ['--clearenv', ...Object.entries(spec.env).flatMap(([name, value]) => ['--setenv', name, value])],
    ['--chdir', '/', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    options.seccomp ? ['--seccomp', '3'] : [],
    ['--', ...spec.command],
  ].flat()

const mountArguments = (mount: Mount): string[] => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, mount.target]
