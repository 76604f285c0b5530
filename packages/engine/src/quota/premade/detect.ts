// Whether the disks that root made can be given to groups, found out by the one for trials.
import { realpath } from 'node:fs/promises'
import { findPrograms } from '../find.ts'
import type { Pool } from './pool.ts'
import { setupHint } from './hint.ts'
import { createPremade, premadeNames } from './programs.ts'
import { closePremadeTrial, openPremadeTrial } from './trial.ts'

/** `again`: the trial failed, which may go well another time. */
type Found = { readonly premade: Pool } | { readonly refused: string; readonly again?: () => Promise<Found> }

const tryOut = async (pool: Pool, place: string): Promise<string | null> => {
  try {
    await openPremadeTrial(pool, place)
    await closePremadeTrial(pool, place)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error'
  }
}

/** `place`: for the trial alone, with no link on its way. Never rejects for what the host lacks. */
export const detectPremade = async (directory: string, place: string): Promise<Found> => {
  if (process.geteuid?.() !== 0) return { refused: 'giving a group its disk needs root, if only of a user namespace' }
  const real = await realpath(directory).catch(() => undefined)
  if (real === undefined) return { refused: `${directory} is not there: ${setupHint(`1x1024 --disks-dir ${directory}`, 'makes it')}` }
  const paths = await findPrograms(premadeNames)
  if (typeof paths === 'string') return { refused: paths }
  const pool = { directory: real, programs: createPremade(paths) }
  // As in the trial of disks that the unit makes: what is killed in the middle says nothing.
  const fault = (await tryOut(pool, place)) && (await tryOut(pool, place))
  if (fault === null) return { premade: pool }
  return { refused: `the disk for trials cannot be used: ${fault}`, again: () => detectPremade(directory, place) }
}
