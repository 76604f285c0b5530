// Detects whether preallocated disks can be used, by using the trial disk.
import { mkdir, realpath, rm } from 'node:fs/promises'
import { closeDisks } from '../disks/open.ts'
import { findPrograms } from '../disks/programs.ts'
import { diskCalled, DiskRefused, faultOf, type PremadeDisk, setupHint, trialDisk } from './disk.ts'
import { createPremade, lockDisks, type Pool, premadeNames } from './pool.ts'

/** Throws for another name. */
const usableTrial = async ({ directory }: Pick<Pool, 'directory'>): Promise<PremadeDisk> => {
  const disk = diskCalled(directory, trialDisk)
  if (disk === undefined) throw new TypeError('the name of the trial disk is not a disk name')
  const fault = await faultOf(disk)
  if (fault !== undefined) throw new DiskRefused(fault)
  return disk
}

/** @param place only for trials, without symbolic links in its path */
export const closePremadeTrial = async (pool: Pool, place: string): Promise<void> => {
  await closeDisks(pool.programs, place)
  await rm(place, { recursive: true, force: true })
  await pool.programs.empty((await usableTrial(pool)).path)
}

/** Resolves to the mount point. */
export const openPremadeTrial = async (pool: Pool, place: string): Promise<string> => {
  await closePremadeTrial(pool, place)
  const point = `${place}/point`
  await mkdir(point, { recursive: true, mode: 0o700 })
  await pool.programs.attach((await usableTrial(pool)).path, point)
  return point
}

/** `again`: the trial failed, and a retry may succeed. */
type Found = { readonly premade: Pool } | { readonly refused: string; readonly again?: () => Promise<Found> }

interface Trial {
  readonly pool: Pool
  readonly flock: string
  readonly place: string
}

/** Called before anything on a disk is changed. */
const lock = async ({ pool, flock }: Trial): Promise<void> => {
  if (await lockDisks(flock, await usableTrial(pool))) return
  const others = setupHint('1x1024 --disks-dir DIRECTORY', 'creates disks for this unit')
  throw new DiskRefused(`another unit uses the disks in ${pool.directory}: stop that unit, or ${others}`)
}

const tryOut = async (trial: Trial): Promise<string | null> => {
  try {
    await lock(trial)
    await openPremadeTrial(trial.pool, trial.place)
    await closePremadeTrial(trial.pool, trial.place)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error'
  }
}

/** Never rejects because of the host. Afterwards no other unit can use the disks. @param place only for the trial, without symbolic links in its path */
export const detectPremade = async (directory: string, place: string): Promise<Found> => {
  if (process.geteuid?.() !== 0) return { refused: 'disks of groups need root, at least in a user namespace' }
  const real = await realpath(directory).catch(() => undefined)
  if (real === undefined) return { refused: `${directory} does not exist: ${setupHint(`1x1024 --disks-dir ${directory}`, 'creates it')}` }
  const paths = await findPrograms(premadeNames)
  if (typeof paths === 'string') return { refused: paths }
  const pool = { directory: real, programs: createPremade(paths) }
  const trial = { pool, flock: paths.flock, place }
  // A program can be killed by chance, so only two failures count.
  const fault = (await tryOut(trial)) && (await tryOut(trial))
  if (fault === null) return { premade: pool }
  return { refused: `cannot use the trial disk: ${fault}`, again: () => detectPremade(directory, place) }
}
