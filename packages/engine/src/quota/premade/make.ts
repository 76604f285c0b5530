// Makes disks for groups beforehand, as root alone can: an image for each, beside the place where it is mounted.
import { chmod, chown, lchown, readdir, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { lostAndFound } from '@gatehouse/kernel'
import { closeDisk } from '../close.ts'
import { besides } from '../disk.ts'
import { findPrograms } from '../find.ts'
import { isMounted } from '../mounted.ts'
import { createPrograms, type DiskPrograms, type Owner, programNames } from '../programs.ts'
import { sizeOf } from '../size.ts'
import { imageOf, markName, type PremadeDisk } from './disk.ts'

export type { PremadeDisk } from './disk.ts'
export { diskCalled, diskName, mostDisks, imageOf, trialDisk } from './disk.ts'

export const isReady = async ({ path }: PremadeDisk, owner: Owner): Promise<boolean> => {
  if (!(await isMounted(path))) return false
  const { uid, gid, mode } = await stat(path)
  return uid === owner.uid && gid === owner.gid && (mode & 0o777) === 0o700
}

export interface Maker {
  /** Empty; made beside its place, and there when it is complete. */
  make(disk: PremadeDisk, owner: Owner): Promise<void>
  /** Bears that it is. What is on it is not touched, but with an owner its root is given away. */
  mount(disk: PremadeDisk, owner?: Owner): Promise<void>
  /** Whether there is anything on it, while it is mounted. */
  holds(disk: PremadeDisk): Promise<boolean>
  /** Bears that it is not. Its image stays. */
  unmount(disk: PremadeDisk): Promise<void>
  removeImage(disk: PremadeDisk): Promise<void>
}

const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}

/** What the unit itself wrote goes along; the files of the group have ids of their own. */
const give = async ({ path }: PremadeDisk, { uid, gid }: Owner): Promise<void> => {
  await chown(path, uid, gid)
  await chmod(path, 0o700)
  await lchown(join(path, markName), uid, gid).catch(unlessMissing)
}

const makerOf = (programs: DiskPrograms): Maker => ({
  async make(disk, owner) {
    const image = imageOf(disk)
    const { making } = besides(image)
    const size = sizeOf(disk.MiB)
    await programs.remove(making)
    await programs.makeFile(making, size.bytes)
    await programs.format(making, size, owner)
    await programs.rename(making, image)
  },
  async mount(disk, owner) {
    await programs.makeDirectory(disk.path)
    if (!(await isMounted(disk.path))) await programs.mount(imageOf(disk), disk.path)
    if (owner !== undefined && !(await isReady(disk, owner))) await give(disk, owner)
  },
  holds: async ({ path }) => (await readdir(path)).some((name) => name !== lostAndFound),
  async unmount({ path }) {
    await closeDisk(programs, path)
    await rmdir(path).catch(unlessMissing)
  },
  removeImage: (disk) => unlink(imageOf(disk)),
})

export const createMaker = async (): Promise<Maker | { readonly refused: string }> => {
  const paths = await findPrograms(programNames)
  return typeof paths === 'string' ? { refused: paths } : makerOf(createPrograms(paths))
}
