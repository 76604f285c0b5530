// Detects whether this host can provide a disk for each group, by creating one.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, readMountsBelow } from '@gatehouse/kernel'
import { trialMiB, trialName } from './disks/disk.ts'
import { closeDisks, openDisk, shareDirectory } from './disks/open.ts'
import { createPrograms, createUnmount, type DiskPrograms, findPrograms, programNames } from './disks/programs.ts'
import { detectPremade } from './preallocated/detect.ts'
import { pendingBeside, settleOne } from './preallocated/reference.ts'
import { inPoolTurn, type Pool } from './preallocated/pool.ts'

/** How groups get disks: created by the unit, preallocated by root, or not at all. */
export type Disks =
  | { readonly programs: DiskPrograms }
  | { readonly premade: Pool }
  /** `again` is present if a retry may succeed; without it something is missing on this host. */
  | { readonly refused: string; readonly again?: () => Promise<Disks> }

/** Also removes what an earlier trial left. */
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

/** A program can be killed by chance, so only two failures count. */
export const tryTwice = async (programs: DiskPrograms, directory: string): Promise<Exclude<Disks, { premade: unknown }>> => {
  const fault = (await tryOut(programs, directory)) && (await tryOut(programs, directory))
  return fault === null ? { programs } : { refused: `cannot create a trial disk: ${fault}`, again: () => tryTwice(programs, directory) }
}

/** Takes a tenth of a second; never rejects because of the host. @param directory only for the trial, without symbolic links in its path */
export const detectDisks = async (directory: string): Promise<Exclude<Disks, { premade: unknown }>> => {
  if (process.geteuid?.() !== 0) return { refused: 'mounting the disk of a group needs root' }
  const paths = await findPrograms(programNames)
  if (typeof paths === 'string') return { refused: paths }
  return tryTwice(createPrograms(paths), directory)
}

/** Unmounts what an earlier process left mounted in a directory. Also used at a stop. Resolves to the number of mounts. */
export const closeOrphans = async (directory: string): Promise<number> => {
  if ((await readMountsBelow(directory)).length === 0) return 0
  const umount = await findProgram('umount')
  if (umount === null) return 0
  return closeDisks({ unmount: createUnmount(umount) }, directory)
}

/**
 * Prepares a directory without symbolic links in its path for disks, and unmounts what an earlier process left there.
 * @param premade the directory of disks that root preallocated; null if the unit creates them
 */
export const prepareDisks = async (directory: string, premade: string | null = null): Promise<Disks> => {
  await closeOrphans(directory)
  const trial = `${directory}/${trialName}`
  const disks = premade === null ? await detectDisks(trial) : await detectPremade(premade, trial)
  if ('programs' in disks) await shareDirectory(disks.programs, directory)
  else if ('premade' in disks) await shareDirectory(disks.premade.programs, directory)
  return 'refused' in disks && disks.again !== undefined ? { ...disks, again: () => prepareDisks(directory, premade) } : disks
}

/** Releases the disk of a group whose mount point is gone. Disks that the group left to be emptied are emptied too. */
export const releaseDisk = (pool: Pool, reference: string): Promise<void> =>
  inPoolTurn(pool, async () => {
    for (const path of [...(await pendingBeside(reference)), reference]) await settleOne(pool, path)
  })
