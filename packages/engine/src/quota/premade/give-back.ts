// Gives back the disk of a group whose files are kept no longer: emptied first, then free.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inPoolTurn, type Pool } from './allocate.ts'
import { diskCalled, faultOf, imageOf, markName } from './disk.ts'
import { type Reference, readReference } from './reference.ts'
import { DiskRefused } from './refused.ts'

const isGone = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

const emptyThat = async ({ directory, programs }: Pool, { name, mark }: Reference): Promise<void> => {
  const disk = diskCalled(directory, name)
  if (disk === undefined) return
  const fault = await faultOf(disk)
  // Its files went with its image.
  if (fault !== undefined && (await isGone(imageOf(disk)))) return
  if (fault !== undefined) throw new DiskRefused(fault)
  // Otherwise it was given to somebody else since.
  if ((await readFile(join(disk.path, markName), 'utf8').catch(() => '')) === mark) await programs.empty(disk.path)
}

/** `reference`: of a group that has no point any more. */
export const giveBack = (pool: Pool, reference: string): Promise<void> =>
  inPoolTurn(pool, async () => {
    const known = await readReference(reference)
    if (known !== undefined) await emptyThat(pool, known)
    await pool.programs.remove(reference)
  })
