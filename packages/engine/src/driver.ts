// The one interface of all engines: what a launch takes, what a running sandbox gives.
import { type HostIdentity, limits } from '@gatehouse/contracts'
import type { Usage } from './cgroup/counters.ts'
import type { Wall } from './seal/walls.ts'

export interface Mount {
  readonly source: string
  readonly target: string
  readonly mode: 'ro' | 'rw'
  /** What `source` is; a directory where it does not say. */
  readonly type?: 'directory' | 'file'
}

export interface LaunchSpec {
  /** Name of the sandbox: `[a-z0-9_-]`, unique among those that run. */
  readonly id: string
  /** Label by which strays are found again. */
  readonly unitId: string
  /** What `prepare` returned. */
  readonly rootfs: string
  readonly command: readonly string[]
  /** All that the program sees of an environment. */
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly Mount[]
  /** Host uid and gid when the unit is root. */
  readonly identity?: HostIdentity | undefined
  readonly limits: {
    readonly memoryMiB: number
    readonly cpus: number
    readonly processes: number
    readonly pids: number
    readonly tmpMiB: number
  }
}

/** What a sandbox gets when nobody asks for another measure. */
export const defaultLimits: LaunchSpec['limits'] = {
  memoryMiB: limits.sandboxMemoryMiB,
  cpus: limits.sandboxCpus,
  processes: limits.sandboxProcesses,
  pids: limits.sandboxPids,
  tmpMiB: limits.sandboxTmpMiB,
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly reason: 'exited' | 'killed' | 'out-of-memory' | 'out-of-processes' | 'stopped'
}

export interface Sandbox {
  readonly exited: Promise<Exit>
  /** Lines of stdout and stderr; beyond the limits they are dropped and counted in a line of their own. One reader. */
  readonly output: AsyncIterable<string>
  /** Ends it within two seconds, and waits up to three more until what the engine keeps of it is removed; never rejects. */
  stop(): Promise<Exit>
  /** What the kernel has counted so far; null where the driver cannot see it. */
  usage(): Promise<Usage | null>
}

export interface Driver {
  readonly name: 'oci' | 'bubblewrap' | 'container' | 'none'
  /** Program and runtime, for people, such as `runsc` or `docker with runc`. */
  readonly engine: string
  /** `gvisor`: sandboxes run on a kernel of their own, which tells less of itself. */
  readonly kernel: 'host' | 'gvisor'
  /** Walls of the seal that this driver lacks on this host. */
  readonly missing: readonly Wall[]
  /** Host identity that a sandbox really runs as; undefined: that of the unit itself. Owners of group directories follow it. */
  owner(identity: HostIdentity | undefined): HostIdentity | undefined
  /** Makes the assembled root file system ready; returns what `LaunchSpec.rootfs` takes. */
  prepare(rootfs: string): Promise<string>
  /** The same for an image by its digest, which an engine of this host has; in `--dev` by a tag. */
  prepareImage(image: string): Promise<string>
  /** Rejects with `ServiceError('no-sandbox')` when the program cannot be started at all. */
  launch(spec: LaunchSpec): Promise<Sandbox>
  /** Removes what an earlier start of this unit left, and nobody else's; returns how many. */
  reconcile(unitId: string): Promise<number>
}
