// The oldest release of each program that builds sandboxes, and what is wrong with the ones before it.

export interface EngineRelease {
  /** Numbers with dots, or gVisor's date. */
  readonly least: string
  /** What an older one does, in one clause for people. */
  readonly fault: string
  /** Older by its number, but repaired by its distributor: found in what `--version` prints. */
  readonly repaired?: string
}

export const engineReleases = {
  runsc: {
    least: '20240101',
    fault: 'it answers every filtered system call with the same error, and has not been repaired since',
  },
  runc: {
    least: '1.2.8',
    fault:
      'masked paths of /proc can be turned against the host while a container is made (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881)',
  },
  bwrap: { least: '0.8.0', fault: 'it cannot bound the size of what a sandbox gets in memory, and leaves a way out by TIOCSTI' },
  docker: { least: '20.10.24', fault: 'its default profiles and limits have known holes' },
  podman: { least: '4.3.1', fault: 'it maps ids and limits differently' },
  nerdctl: { least: '1.7.0', fault: 'it does not know all the limits that are asked for' },
} as const satisfies Record<string, EngineRelease>

export type EngineProgram = keyof typeof engineReleases
