// Makes a disk the next one of a group: nothing of an earlier group on it, all that its group has, and a mark.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { apart, markName, type PremadeDisk } from './disk.ts'
import type { PremadePrograms } from './programs.ts'

/** Nothing may be written at the point meanwhile. Rejects when what is there does not fit; the disk is nobody's then. */
export const fillDisk = async (programs: PremadePrograms, { path }: PremadeDisk, { from, mark }: { from: string; mark: string }) => {
  await programs.empty(path)
  for (const name of await readdir(from)) if (!apart.includes(name)) await programs.copy(join(from, name), join(path, name))
  await programs.write(join(path, markName), mark)
  await programs.settle(path)
}
