// The system call filter beside an assembled root file system, for engines that read it from a file.
import { writeFile } from 'node:fs/promises'
import { renderOci } from '../seccomp/to-oci.ts'

/** gVisor has no `clone3`, and old releases could not say that it is unknown rather than forbidden; so there it is let through. */
export const profilePath = (target: string, { gvisor }: { readonly gvisor: boolean }): string =>
  `${target}.${gvisor ? 'gvisor' : 'seccomp'}.json`

export const writeProfiles = async (target: string): Promise<void> => {
  const write = (gvisor: boolean, rendering: object): Promise<void> =>
    writeFile(profilePath(target, { gvisor }), `${JSON.stringify(rendering)}\n`, { mode: 0o644 })
  await write(false, renderOci())
  await write(true, renderOci({ passed: ['clone3'] }))
}
