// Gives a group a free disk of its size. One at a time for all groups of a unit, so that no two get the same.
import { randomBytes } from 'node:crypto'
import { faultOf, type PremadeDisk } from './disk.ts'
import { fillDisk, NotCopied } from './fill.ts'
import { type FreeDisk, freeIn } from './free.ts'
import { settleOne } from './owed.ts'
import type { GroupPlace, Pool } from './pool.ts'
import { owedOf, referenceOf, renderReference } from './reference.ts'
import { DiskRefused } from './refused.ts'

interface Filling extends GroupPlace {
  readonly disk: PremadeDisk
  readonly mark: string
}

const whyNot = async (disk: PremadeDisk): Promise<unknown> => {
  const fault = await faultOf(disk).catch((error: unknown) => error)
  return typeof fault === 'string' ? new DiskRefused(fault) : fault
}

/** What is wrong with the disk, which keeps no group from the others. Rejects for what would be so on each of them. */
const fill = async ({ programs }: Pool, { groups, group, disk, mark }: Filling): Promise<unknown> => {
  try {
    await fillDisk(programs, disk, { from: `${groups}/${group}`, mark })
    return undefined
  } catch (error) {
    if (error instanceof NotCopied && (await whyNot(disk)) === undefined) throw error
    return error
  }
}

/** The reference is what counts, and comes last. Until then the disk is owed, so that whoever dies leaves nothing that seems to be a group's. */
const give = async (pool: Pool, filling: Filling): Promise<unknown> => {
  const [{ groups, group, disk, mark }, { programs }] = [filling, pool]
  const [owed, text] = [owedOf({ groups, group }, mark), renderReference({ name: disk.name, mark })]
  await programs.write(owed, text)
  let isGiven = false
  try {
    const fault = await fill(pool, filling)
    if (fault !== undefined) return fault
    await programs.write(referenceOf(groups, group), text)
    isGiven = true
    return undefined
  } finally {
    // What fails here is made good when the group is opened the next time.
    await (isGiven ? programs.remove(owed) : settleOne(pool, owed)).catch(() => undefined)
  }
}

/** Called in the turn of the pool. */
export const allocate = async (pool: Pool, { groups, group }: GroupPlace, MiB: number): Promise<FreeDisk> => {
  let fault: unknown
  for (const disk of await freeIn(pool.directory, groups, MiB)) {
    const mark = randomBytes(16).toString('hex')
    const found = (await whyNot(disk)) ?? (await give(pool, { groups, group, disk, mark }))
    if (found === undefined) return disk
    fault ??= found
  }
  throw fault
}
