// The command line of the inner `bwrap`, which builds every wall out of namespaces.
import { sandboxUid } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'

const MiB = 1024 * 1024

export interface ArgumentParts {
  /** The filter is read from descriptor 3. */
  readonly seccomp: boolean
  /** `/tmp` is among the mounts; without a stage it is made here, where it cannot be told that nothing in it is a program. */
  readonly tmpMounted: boolean
  /** The program waits until descriptor 4 ends. */
  readonly gate: boolean
}

export const sandboxArguments = (spec: Omit<LaunchSpec, 'id' | 'installation'>, parts: ArgumentParts): string[] =>
  [
    parts.gate ? gateArguments : [],
    ['--unshare-all', '--unshare-user', '--hostname', 'sandbox'],
    ['--uid', String(sandboxUid), '--gid', String(sandboxUid)],
    ['--ro-bind', spec.rootfs, '/'],
    ['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    parts.tmpMounted ? [] : ['--perms', '1777', '--size', String(spec.limits.tmpMiB * MiB), '--tmpfs', '/tmp'],
    spec.mounts.flatMap(mountArguments),
    ['--clearenv', ...Object.entries(spec.env).flatMap(([name, value]) => ['--setenv', name, value])],
    ['--chdir', '/', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    parts.seccomp ? ['--seccomp', '3'] : [],
    ['--', ...spec.command],
  ].flat()

/** What is read there is no argument; reading it is what holds bwrap back. */
export const gateArguments = ['--args', '4'] as const

const mountArguments = (mount: Mount): string[] => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, mount.target]
