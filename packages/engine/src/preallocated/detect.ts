// Detects whether preallocated disks can be given to groups, by using the trial disk.
import { mkdir, realpath, rm } from 'node:fs/promises'
import { closeDisks } from '../disks/open.ts'
import { findPrograms } from '../disks/programs.ts'
import { diskCalled, DiskRefused, faultOf, type PremadeDisk, setupHint, trialDisk } from './disk.ts'
import { createPremade, lockDisks, type Pool, premadeNames } from './pool.ts'

/** Throws where it is not. */
const usableTrial = async ({ directory }: Pick<Pool, 'directory'>): Promise<PremadeDisk> => {
  const disk = diskCalled(directory, trialDisk)
  if (disk === undefined) throw new TypeError('expected the disk for trials to have a name of a disk')
  const fault = await faultOf(disk)
  if (fault !== undefined) throw new DiskRefused(fault)
  return disk
}

/** `place`: for trials alone, with no link on its way. */
export const closePremadeTrial = async (pool: Pool, place: string): Promise<void> => {
  await closeDisks(pool.programs, place)
  await rm(place, { recursive: true, force: true })
  await pool.programs.empty((await usableTrial(pool)).path)
}

/** Gives the point. */
export const openPremadeTrial = async (pool: Pool, place: string): Promise<string> => {
  await closePremadeTrial(pool, place)
  const point = `${place}/point`
  await mkdir(point, { recursive: true, mode: 0o700 })
  await pool.programs.attach((await usableTrial(pool)).path, point)
  return point
}

/** `again`: the trial failed, which may go well another time. */
type Found = { readonly premade: Pool } | { readonly refused: string; readonly again?: () => Promise<Found> }

interface Trial {
  readonly pool: Pool
  readonly flock: string
  readonly place: string
}

/** Before anything on a disk is touched. */
const lock = async ({ pool, flock }: Trial): Promise<void> => {
  if (await lockDisks(flock, await usableTrial(pool))) return
  const others = setupHint('1x1024 --disks-dir DIRECTORY', 'makes this one its own')
  throw new DiskRefused(`another unit has the disks in ${pool.directory}: stop that one, or ${others}`)
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

/** `place`: for the trial alone, with no link on its way. Never rejects for what the host lacks. From then on no other unit has them. */
export const detectPremade = async (directory: string, place: string): Promise<Found> => {
  if (process.geteuid?.() !== 0) return { refused: 'giving a group its disk needs root, if only of a user namespace' }
  const real = await realpath(directory).catch(() => undefined)
  if (real === undefined) return { refused: `${directory} is not there: ${setupHint(`1x1024 --disks-dir ${directory}`, 'makes it')}` }
  const paths = await findPrograms(premadeNames)
  if (typeof paths === 'string') return { refused: paths }
  const pool = { directory: real, programs: createPremade(paths) }
  const trial = { pool, flock: paths.flock, place }
  // As in the trial of disks that the unit makes: what is killed in the middle says nothing.
  const fault = (await tryOut(trial)) && (await tryOut(trial))
  if (fault === null) return { premade: pool }
  return { refused: `the disk for trials cannot be used: ${fault}`, again: () => detectPremade(directory, place) }
}
