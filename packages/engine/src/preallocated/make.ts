// Preallocates disks for groups, which only root can do: an image for each, beside its mount point.
import { chmod, chown, lchown, readdir, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { lostAndFound } from '@gatehouse/kernel'
import { besides, isMounted, sizeOf } from '../disks/disk.ts'
import { closeDisk } from '../disks/open.ts'
import { createPrograms, type DiskPrograms, findPrograms, type Owner, programNames } from '../disks/programs.ts'
import { imageOf, markName, type PremadeDisk } from './disk.ts'

export type { PremadeDisk } from './disk.ts'
export { diskCalled, diskName, mostDisks, imageOf, trialDisk } from './disk.ts'

/** Resolves to undefined for a missing or inaccessible path. */
const isLostGiven = async ({ path }: PremadeDisk, owner: Owner): Promise<boolean> => {
  const lost = await stat(join(path, lostAndFound)).catch(() => undefined)
  return lost === undefined || lost.uid === owner.uid
}

export const isReady = async (disk: PremadeDisk, owner: Owner): Promise<boolean> => {
  if (!(await isMounted(disk.path))) return false
  const { uid, gid, mode } = await stat(disk.path)
  return uid === owner.uid && gid === owner.gid && (mode & 0o777) === 0o700 && isLostGiven(disk, owner)
}

export interface Maker {
  /** Creates an empty image under a temporary name and renames it when it is complete. */
  make(disk: PremadeDisk, owner: Owner): Promise<void>
  /** Idempotent. Does not change the content, but changes the owner of the root if one is given. */
  mount(disk: PremadeDisk, owner?: Owner): Promise<void>
  /** Whether a mounted disk contains anything, including rescued files. */
  holds(disk: PremadeDisk): Promise<boolean>
  /** Idempotent. The image remains. */
  unmount(disk: PremadeDisk): Promise<void>
  removeImage(disk: PremadeDisk): Promise<void>
}

const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}

/** Changes the owner of files of the unit and of e2fsck; files of the group have their own ids. */
const give = async ({ path }: PremadeDisk, { uid, gid }: Owner): Promise<void> => {
  await chown(path, uid, gid)
  await chmod(path, 0o700)
  for (const name of [markName, lostAndFound]) await lchown(join(path, name), uid, gid).catch(unlessMissing)
}

const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    unlessMissing(error)
    return []
  })

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
  holds: async ({ path }) =>
    (await readdir(path)).some((name) => name !== lostAndFound) || (await namesIn(join(path, lostAndFound))).length > 0,
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
