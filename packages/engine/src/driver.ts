// The interface of all sandbox drivers: what a launch takes, what a running sandbox returns, and the controls of the seal.
import { type HostIdentity, limits, type SandboxDriver } from '@gatehouse/contracts'

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
  /** Label by which orphans are found. */
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
    /** Processes and threads. */
    readonly processes: number
    /** The same, of the control group around the sandbox. */
    readonly pids: number
    readonly tmpMiB: number
  }
}

/** Limits of a sandbox whose group sets none. */
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

/** Counted by the kernel for one sandbox. */
export interface Usage {
  readonly memoryKills: number
  /** It once used all that it may, if only for a moment, and not for files that the kernel keeps at hand. Told of what has ended. */
  readonly memoryFull: boolean
  readonly refusedProcesses: number
  readonly throttledPeriods: number
  /** Seconds for which its processes were held back by the limit on processor time. */
  readonly throttledSeconds: number
}

export interface Sandbox {
  readonly exited: Promise<Exit>
  /** Lines of stdout and stderr; beyond the limits they are dropped and counted in a line of their own. One reader. */
  readonly output: AsyncIterable<string>
  /** Ends it within two seconds, and waits up to three more until what the engine keeps of it is removed; never rejects. */
  stop(): Promise<Exit>
  /** Kernel counters so far; null where the driver cannot read them. */
  usage(): Promise<Usage | null>
}

export interface Driver {
  readonly name: SandboxDriver
  /** Program and runtime, for people, such as `runsc` or `docker with runc`. */
  readonly engine: string
  /** `gvisor`: sandboxes run on a kernel of their own, which tells less of itself. */
  readonly kernel: 'host' | 'gvisor'
  /**
   * What refuses one process or thread more than `LaunchSpec.limits.processes`: a limit inside the sandbox, with `pids` as a wider bound
   * around it, or only the control group of `pids`.
   */
  readonly processBound: 'inside' | 'group'
  /** Controls of the seal that this driver does not have on this host. */
  readonly missing: readonly Control[]
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

/** The controls of the seal, one sentence each. A driver lists those that it does not have on this host. */
export const controls = {
  identity: 'Inside, uid and gid are 65532.',
  'own-host-uid':
    'Outside, it runs under a host uid that is neither root, nor the unit, nor that of another group, and it cannot choose the login id by which the host audits it.',
  network: 'It sees no interface but lo, no route, and no abstract socket of the host.',
  'read-only-root': 'The root file system cannot be written, nor can the mounts that are meant to be read.',
  tmp: '/tmp is a small file system in memory.',
  'mount-flags': 'What it can write is mounted nosuid, nodev and noexec.',
  capabilities: 'No capability is in any of its sets.',
  'no-new-privileges': 'No program that it starts can gain a privilege.',
  seccomp: 'System calls that an agent does not need are refused by our allow list.',
  processes: 'It sees no process but its own.',
  environment: 'It sees no environment variable but those that it was given, and no inherited descriptor.',
  files: 'It sees no file of the host but those that were mounted for it.',
  devices: 'It sees no device but null, zero, full, random, urandom and tty.',
  'memory-limit': 'Its memory is bounded, and a kill for it is reported as such.',
  'process-limit': 'The number of its processes is bounded, and what it uses is not taken from others.',
  'cpu-limit': 'Its share of the processors is bounded.',
  'disk-limit': 'What it can write on the disk of the host is bounded, in bytes and in files.',
  'open-files-limit': 'The number of its open files is bounded, and it leaves no core dump.',
} as const

export type Control = keyof typeof controls

const isWall = (name: string): name is Control => name in controls

export const controlNames: readonly Control[] = Object.keys(controls).filter(isWall)
