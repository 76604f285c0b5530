// What a probe saw from inside a sandbox. Null where it could not look, which is never taken as good.

export interface MountFact {
  readonly target: string
  readonly type: string
  readonly flags: readonly string[]
}

export interface Facts {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** Lines of /proc/self/status that speak of privilege, such as `CapEff` and `Seccomp`. */
  readonly status: Readonly<Record<string, string>> | null
  readonly interfaces: readonly string[] | null
  /** Routes that do not lead to lo. */
  readonly routes: readonly string[] | null
  readonly abstractSockets: readonly string[] | null
  /** Error code of a TCP connection to a closed port of lo. */
  readonly inet: string
  readonly mounts: readonly MountFact[] | null
  /** Where a file could be made. */
  readonly writable: readonly string[]
  /** Where a file that it had written itself counts as a program. */
  readonly executable: readonly string[]
  readonly tmpBytes: number | null
  /** Names alone. */
  readonly environment: readonly string[] | null
  /** Names in the environment of process 1, where it is another's. */
  readonly initEnvironment: readonly string[] | null
  /** Paths behind open descriptors. */
  readonly descriptors: readonly string[] | null
  readonly processes: readonly number[] | null
  /** Every file that is not of a program or of a mount. */
  readonly files: readonly string[] | null
  /** Name servers and search domains in /etc/resolv.conf; none where there is no such file. */
  readonly resolvers: readonly string[] | null
  /** Whether it can choose the login id under which the host's kernel audits it. */
  readonly loginID: 'absent' | 'fixed' | 'settable'
  readonly devices: readonly string[] | null
  /** As Node's report names them, such as `open_files`; a number or `unlimited`. */
  readonly limits: Readonly<Record<string, { readonly soft: number | string; readonly hard: number | string }>> | null
  /** `session`, `model` and `tools`: `connected` or an error code. */
  readonly sockets: Readonly<Record<string, string>>
}
