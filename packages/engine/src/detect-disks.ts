// Detects whether this host can give each group a disk of its own, by creating one.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, readMountsBelow } from '@gatehouse/kernel'
import { trialMiB, trialName } from './disks/disk.ts'
import { closeDisks, openDisk, shareDirectory } from './disks/open.ts'
import { createPrograms, createUnmount, type DiskPrograms, findPrograms, programNames } from './disks/programs.ts'
import { detectPremade } from './preallocated/detect.ts'
import { pendingBeside, settleOne } from './preallocated/reference.ts'
import { inPoolTurn, type Pool } from './preallocated/pool.ts'

/** How groups get disks: made by the unit, of those that root made beforehand, or not at all. */
export type Disks =
  | { readonly programs: DiskPrograms }
  | { readonly premade: Pool }
  /** `again`: a trial failed, which may go well another time; without it something lacks, and nothing changes by trying. */
  | { readonly refused: string; readonly again?: () => Promise<Disks> }

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

/** A program that is killed in the middle of it says nothing about the host, so the answer stands only when it comes twice. */
export const tryTwice = async (programs: DiskPrograms, directory: string): Promise<Exclude<Disks, { premade: unknown }>> => {
  const fault = (await tryOut(programs, directory)) && (await tryOut(programs, directory))
  return fault === null ? { programs } : { refused: `a trial disk could not be made: ${fault}`, again: () => tryTwice(programs, directory) }
}

/** `directory`: for the trial alone, with no link on its way. Takes a tenth of a second; never rejects for what the host lacks. */
export const detectDisks = async (directory: string): Promise<Exclude<Disks, { premade: unknown }>> => {
  if (process.geteuid?.() !== 0) return { refused: 'mounting the disk of a group needs root' }
  const paths = await findPrograms(programNames)
  if (typeof paths === 'string') return { refused: paths }
  return tryTwice(createPrograms(paths), directory)
}

/** What an earlier process left mounted in a directory; for whoever stops, too. Returns how many there were. */
export const closeOrphans = async (directory: string): Promise<number> => {
  if ((await readMountsBelow(directory)).length === 0) return 0
  const umount = await findProgram('umount')
  if (umount === null) return 0
  return closeDisks({ unmount: createUnmount(umount) }, directory)
}

/**
 * Ready for disks in a directory of the host's own, with no link on its way: nothing of an earlier process is mounted there any more.
 * `premade`: where root made disks; null: the unit makes them.
 */
export const prepareDisks = async (directory: string, premade: string | null = null): Promise<Disks> => {
  await closeOrphans(directory)
  const trial = `${directory}/${trialName}`
  const disks = premade === null ? await detectDisks(trial) : await detectPremade(premade, trial)
  if ('programs' in disks) await shareDirectory(disks.programs, directory)
  else if ('premade' in disks) await shareDirectory(disks.premade.programs, directory)
  return 'refused' in disks && disks.again !== undefined ? { ...disks, again: () => prepareDisks(directory, premade) } : disks
}

/** `reference`: of a group that has no point any more. What the group owed beside it is emptied too. */
export const releaseDisk = (pool: Pool, reference: string): Promise<void> =>
  inPoolTurn(pool, async () => {
    for (const path of [...(await pendingBeside(reference)), reference]) await settleOne(pool, path)
  })
