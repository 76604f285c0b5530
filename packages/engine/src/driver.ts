// The interface of sandbox drivers: the specification of a launch, the running sandbox, and the controls of the seal.
import { type HostIdentity, limits, type SandboxDriver } from '@gatehouse/contracts'

export interface Mount {
  readonly source: string
  readonly target: string
  readonly mode: 'ro' | 'rw'
  /** Type of `source`; default directory. */
  readonly type?: 'directory' | 'file'
}

export interface LaunchSpec {
  /** Name of the sandbox: `[a-z0-9_-]`, unique among running sandboxes. */
  readonly id: string
  /** Label by which orphans are found. */
  readonly unitId: string
  /** The result of `prepare`. */
  readonly rootfs: string
  readonly command: readonly string[]
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly Mount[]
  /** Host uid and gid when the unit is root. */
  readonly identity?: HostIdentity | undefined
  readonly limits: {
    readonly memoryMiB: number
    readonly cpus: number
    /** Processes and threads. */
    readonly processes: number
    /** The same limit for the control group of the sandbox. */
    readonly pids: number
    readonly tmpMiB: number
  }
}

/** Limits of a sandbox whose group has none. */
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
  /** Whether memory was full at some time, not counting the page cache. Known after the end. */
  readonly memoryFull: boolean
  readonly refusedProcesses: number
  readonly throttledPeriods: number
  /** Seconds for which the processor limit throttled its processes. */
  readonly throttledSeconds: number
}

export interface Sandbox {
  readonly exited: Promise<Exit>
  /** Lines of stdout and stderr, for one reader. Lines beyond the limits are dropped, and a separate line reports their number. */
  readonly output: AsyncIterable<string>
  /** Ends the sandbox within two seconds and waits up to three more for the engine to remove it. Never rejects. */
  stop(): Promise<Exit>
  /** Kernel counters so far; null where the driver cannot read them. */
  usage(): Promise<Usage | null>
}

export interface Driver {
  readonly name: SandboxDriver
  /** Program and runtime for people, such as `runsc` or `docker with runc`. */
  readonly engine: string
  /** `gvisor`: sandboxes run on their own kernel, which exposes less information. */
  readonly kernel: 'host' | 'gvisor'
  /**
   * What enforces `LaunchSpec.limits.processes`: a limit inside the sandbox, with `pids` as a wider limit
   * around it, or only the control group with `pids`.
   */
  readonly processBound: 'inside' | 'group'
  /** Controls of the seal that this driver cannot provide on this host. */
  readonly missing: readonly Control[]
  /** The host identity of a sandbox, which must own the group directories; undefined for the unit's own. */
  owner(identity: HostIdentity | undefined): HostIdentity | undefined
  /** Prepares the assembled root file system. Resolves to the value for `LaunchSpec.rootfs`. */
  prepare(rootfs: string): Promise<string>
  /** The same for an image of an engine of this host, by its digest; in `--dev` also by a tag. */
  prepareImage(image: string): Promise<string>
  /** Rejects with `ServiceError('no-sandbox')` when the program cannot be started at all. */
  launch(spec: LaunchSpec): Promise<Sandbox>
  /** Removes what an earlier start of this unit left, and nothing of other units. Resolves to the number. */
  reconcile(unitId: string): Promise<number>
}

/** The controls of the seal, one sentence each. A driver lists those that it cannot provide on this host. */
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
