// Makes a directory empty over which a disk is about to be mounted.
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { besides, type Disk } from './disk.ts'
import type { DiskPrograms } from './programs.ts'

type Acts = Pick<DiskPrograms, 'rename' | 'makeDirectory' | 'remove'>

/** What is there goes where the disk has it already; otherwise it is set aside, and its new place returned. */
export const clearPoint = async (programs: Acts, { image, point }: Omit<Disk, 'MiB'>, copied: boolean): Promise<string | undefined> => {
  if ((await readdir(point)).length === 0) return undefined
  const to = copied ? besides(image).copied : `${image}.aside-${randomBytes(4).toString('hex')}`
  await programs.rename(point, to)
  await programs.makeDirectory(point)
  if (!copied) return to
  await programs.remove(to)
  return undefined
}
