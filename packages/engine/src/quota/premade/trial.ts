// The disk that was made for trials: shown at a point like that of a group, and emptied before and after.
import { mkdir, rm } from 'node:fs/promises'
import { closeDisks } from '../close.ts'
import type { Pool } from './pool.ts'
import { diskCalled, faultOf, type PremadeDisk, trialDisk } from './disk.ts'
import { DiskRefused } from './refused.ts'

/** Throws where it is not. */
export const usableTrial = async ({ directory }: Pick<Pool, 'directory'>): Promise<PremadeDisk> => {
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
