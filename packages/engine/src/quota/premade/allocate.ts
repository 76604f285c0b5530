// Gives a group a free disk of its size. One at a time for all groups of a unit, so that no two get the same.
import { randomBytes } from 'node:crypto'
import { KeyedTurns } from '@gatehouse/kernel'
import { faultOf, type PremadeDisk } from './disk.ts'
import { fillDisk } from './fill.ts'
import { type FreeDisk, freeIn } from './free.ts'
import type { PremadePrograms } from './programs.ts'
import { referenceOf, renderReference } from './reference.ts'
import { DiskRefused } from './refused.ts'

/** All disks that groups can have. */
export interface Pool {
  /** Without links. */
  readonly directory: string
  readonly programs: PremadePrograms
}

export interface GroupPlace {
  /** Directory of all groups, with no link on its way. */
  readonly groups: string
  readonly group: string
}

const turns = new KeyedTurns()

/** Whoever chooses a disk or gives one back. */
export const inPoolTurn = <T>({ directory }: Pool, act: () => Promise<T>): Promise<T> => turns.run(directory, act)

const fill = async ({ programs }: Pool, disk: PremadeDisk, place: { readonly from: string; readonly mark: string }): Promise<void> => {
  const fault = await faultOf(disk)
  if (fault !== undefined) throw new DiskRefused(fault)
  await fillDisk(programs, disk, place)
}

/** Every group of a size fits each disk of it or none. */
const isTooMuch = (error: unknown): boolean => error instanceof Error && error.message.includes('No space left')

/** The reference is what counts, and comes last. Called in the turn of the pool. */
export const allocate = async (pool: Pool, { groups, group }: GroupPlace, MiB: number): Promise<FreeDisk> => {
  let fault: unknown
  for (const disk of await freeIn(pool.directory, groups, MiB)) {
    const mark = randomBytes(16).toString('hex')
    try {
      await fill(pool, disk, { from: `${groups}/${group}`, mark })
    } catch (error) {
      if (isTooMuch(error)) await pool.programs.empty(disk.path)
      if (isTooMuch(error)) throw error
      // One that has to be mended keeps no group from the others.
      fault ??= error
      continue
    }
    await pool.programs.write(referenceOf(groups, group), renderReference({ name: disk.name, mark }))
    return disk
  }
  throw fault
}
