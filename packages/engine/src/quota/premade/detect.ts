// Whether the disks that root made can be given to groups, found out by the one for trials.
import { realpath } from 'node:fs/promises'
import { findPrograms } from '../find.ts'
import type { Pool } from './pool.ts'
import { setupHint } from './hint.ts'
import { lockDisks } from './lock.ts'
import { createPremade, premadeNames } from './programs.ts'
import { DiskRefused } from './refused.ts'
import { closePremadeTrial, openPremadeTrial, usableTrial } from './trial.ts'

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
