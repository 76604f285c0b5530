// The command line of the inner `bwrap`, which builds every wall out of namespaces.
import { sandboxUid } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'

const MiB = 1024 * 1024

export interface ArgumentParts {
  /** The filter is read from descriptor 3. */
  readonly seccomp: boolean
  /** `/tmp` is among the mounts; without a stage it is made here, where it cannot be told that nothing in it is a program. */
  readonly tmpMounted: boolean
  /** The root is not among the arguments, but read from descriptor 4. */
  readonly gate: boolean
}

export const sandboxArguments = (spec: Omit<LaunchSpec, 'id' | 'unitId'>, parts: ArgumentParts): string[] =>
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
export const gateArguments = ['--args', '4'] as const

/** Whoever dies opens the gate too, but leaves no root behind it: then there is nothing to run. */
export const gateKey = (rootfs: string, target: string): Uint8Array =>
  Buffer.from(
    rootArguments(rootfs, target)
      .map((argument) => `${argument}\0`)
      .join(''),
  )

const mountArguments = (mount: Mount): string[] => [mount.mode === 'ro' ? '--ro-bind' : '--bind', mount.source, mount.target]
