// The facts that a probe collects inside a sandbox. Null where it could not collect them, which counts as a failure.

export interface MountFact {
  readonly target: string
  readonly type: string
  readonly flags: readonly string[]
}

export interface Facts {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** Lines of /proc/self/status about privileges, such as `CapEff` and `Seccomp`. */
  readonly status: Readonly<Record<string, string>> | null
  readonly interfaces: readonly string[] | null
  /** Routes through interfaces other than lo. */
  readonly routes: readonly string[] | null
  readonly abstractSockets: readonly string[] | null
  /** Error code of a TCP connection to a closed port of lo. */
  readonly inet: string
  readonly mounts: readonly MountFact[] | null
  /** Directories in which a file could be created. */
  readonly writable: readonly string[]
  /** Directories in which a newly written file can be executed. */
  readonly executable: readonly string[]
  readonly tmpBytes: number | null
  /** Names only. */
  readonly environment: readonly string[] | null
  /** Names in the environment of process 1, if that is another process. */
  readonly initEnvironment: readonly string[] | null
  /** Paths of open descriptors. */
  readonly descriptors: readonly string[] | null
  readonly processes: readonly number[] | null
  /** Files that belong neither to a program nor to a mount. */
  readonly files: readonly string[] | null
  /** Name servers and search domains in /etc/resolv.conf; empty without the file. */
  readonly resolvers: readonly string[] | null
  /** Whether it can choose its login id for the audit of the host's kernel. */
  readonly loginID: 'absent' | 'fixed' | 'settable'
  readonly devices: readonly string[] | null
  /** Limits by their names in Node's report, such as `open_files`; a number or `unlimited`. */
  readonly limits: Readonly<Record<string, { readonly soft: number | string; readonly hard: number | string }>> | null
  /** `session`, `model` and `tools`: `connected` or an error code. */
  readonly sockets: Readonly<Record<string, string>>
}
