// Whether this host can give groups disks of their own, found out by making one.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mountsBelow } from '@gatehouse/kernel'
import { findProgram } from '../programs.ts'
import { closeDisks, shareDirectory } from './close.ts'
import { openDisk } from './open.ts'
import { createPrograms, createUnmount, type DiskPrograms, programNames, type ProgramPaths } from './programs.ts'

export type Disks = { readonly programs: DiskPrograms } | { readonly refused: string }

const install = 'apt-get install e2fsprogs mount util-linux'

const findPrograms = async (): Promise<ProgramPaths | string> => {
  const found = await Promise.all(programNames.map(async (name) => [name, await findProgram(name)] as const))
  const lacking = found.flatMap(([name, path]) => (path === null ? [name] : []))
  if (lacking.length > 0) return `${lacking.join(', ')} not found: ${install}`
  // Each name has its path by now.
  return Object.fromEntries(found) as ProgramPaths
}

/** As small as the smallest that a group may have. */
export const trialMiB = 16
/** No group can have such a name. */
export const trialName = '.trial'

/** Takes what an earlier trial left along. */
export const emptyTrial = async (programs: Pick<DiskPrograms, 'unmount'>, directory: string): Promise<void> => {
  await closeDisks(programs, directory)
  await rm(directory, { recursive: true, force: true })
}

const tryOut = async (programs: DiskPrograms, directory: string): Promise<string | null> => {
  try {
    await emptyTrial(programs, directory)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const disk = { image: join(directory, 'image'), point: join(directory, 'point'), MiB: trialMiB }
    await openDisk(programs, disk, { quiet: true })
    await emptyTrial(programs, directory)
    return null
  } catch (error) {
    await emptyTrial(programs, directory).catch(() => undefined)
    return error instanceof Error ? error.message : 'unknown error'
  }
}

/** `directory`: for the trial alone, with no link on its way. Takes a tenth of a second; never rejects for what the host lacks. */
export const detectDisks = async (directory: string): Promise<Disks> => {
  if (process.geteuid?.() !== 0) return { refused: 'mounting the disk of a group needs root' }
  const paths = await findPrograms()
  if (typeof paths === 'string') return { refused: paths }
  const programs = createPrograms(paths)
  const fault = await tryOut(programs, directory)
  return fault === null ? { programs } : { refused: `a trial disk could not be made: ${fault}` }
}

/** What an earlier process left mounted in a directory; for whoever stops, too. Returns how many there were. */
export const closeStrays = async (directory: string): Promise<number> => {
  if ((await mountsBelow(directory)).length === 0) return 0
  const umount = await findProgram('umount')
  if (umount === null) return 0
  return closeDisks({ unmount: createUnmount(umount) }, directory)
}

/** Ready for disks in a directory of the host's own, with no link on its way: nothing of an earlier process is mounted there any more. */
export const prepareDisks = async (directory: string): Promise<Disks> => {
  await closeStrays(directory)
  const disks = await detectDisks(`${directory}/${trialName}`)
  if ('programs' in disks) await shareDirectory(disks.programs, directory)
  return disks
}
