// The minimum release of each sandbox engine, and the problem of older releases.

export interface EngineRelease {
  /** A dotted version, or the date of a gVisor release. */
  readonly least: string
  /** The problem of older releases, as a clause for people. */
  readonly fault: string
  /** Text in the output of `--version` of an older release that its distributor patched. */
  readonly repaired?: string
}

export const engineReleases = {
  runsc: {
    least: '20240101',
    fault: 'it returns the same error for every filtered system call, and is no longer maintained',
  },
  runc: {
    least: '1.2.8',
    fault: 'masked /proc paths can be abused for a container escape (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881)',
  },
  bwrap: { least: '0.8.0', fault: 'it cannot limit the size of tmpfs mounts, and allows an escape through TIOCSTI' },
  docker: { least: '20.10.24', fault: 'its default profiles and limits have known vulnerabilities' },
  podman: { least: '4.3.1', fault: 'it handles id mappings and limits differently' },
  nerdctl: { least: '1.7.0', fault: 'it does not support all required limits' },
} as const satisfies Record<string, EngineRelease>

export type EngineProgram = keyof typeof engineReleases
