// The system call filter beside an assembled root file system, for engines that read it from a file.
import { writeFile } from 'node:fs/promises'
import { renderOci } from '../seccomp/to-oci.ts'

export const profilePath = (target: string): string => `${target}.seccomp.json`

export const writeProfile = (target: string): Promise<void> =>
  writeFile(profilePath(target), `${JSON.stringify(renderOci())}\n`, { mode: 0o644 })
