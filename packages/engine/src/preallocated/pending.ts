// Preallocated disks that must be emptied: each holds only a copy of data that a group has or had.
import { access, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskCalled, DiskRefused, faultOf, fillingOf, imageOf, markName, type PremadeDisk } from './disk.ts'
import type { GroupPlace, Pool } from './pool.ts'
import { pendingBeside, readReference, type Reference, referenceOf } from './reference.ts'

const isGone = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** Filled for that mark, if only in part. */
const isOf = async (disk: PremadeDisk, mark: string): Promise<boolean> => {
  if ((await readFile(join(disk.path, markName), 'utf8').catch(() => '')) === mark) return true
  return access(fillingOf(disk, mark)).then(
    () => true,
    () => false,
  )
}

/** Rejects where it cannot be done now. */
const emptyThat = async ({ directory, programs }: Pool, { name, mark }: Reference): Promise<void> => {
  const disk = diskCalled(directory, name)
  if (disk === undefined) return
  const fault = await faultOf(disk)
  // Its files went with its image.
  if (fault !== undefined && (await isGone(imageOf(disk)))) return
  if (fault !== undefined) throw new DiskRefused(fault)
  // Otherwise it was given to somebody else since.
  if (!(await isOf(disk, mark))) return
  await programs.empty(disk.path)
  await programs.settle(disk.path)
}

/** `path`: of a reference, or of a note of what is owed. Called in the turn of the pool. */
export const settleOne = async (pool: Pool, path: string): Promise<void> => {
  const known = await readReference(path)
  if (known !== undefined) await emptyThat(pool, known)
  await pool.programs.remove(path)
}

/** All that a group owes but the disk that it has by now. One that cannot be emptied now is at the next call. Called in the turn of the pool. */
export const settlePending = async (pool: Pool, { groups, group }: GroupPlace): Promise<void> => {
  const reference = referenceOf(groups, group)
  const has = await readReference(reference)
  for (const path of await pendingBeside(reference)) {
    const isItsOwn = (await readReference(path))?.mark === has?.mark
    await (isItsOwn ? pool.programs.remove(path) : settleOne(pool, path)).catch(() => undefined)
  }
}
