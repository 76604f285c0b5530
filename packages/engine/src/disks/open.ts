// Opens and closes the disk of a group: creates it, resizes it and mounts it. Idempotent, and safe to kill at any point.
import { randomBytes } from 'node:crypto'
import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readMountsBelow } from '@gatehouse/kernel'
import { besides, type Disk, type DiskSize, isMounted, isReadOnly, readSize, sizeOf } from './disk.ts'
import type { DiskPrograms } from './programs.ts'

/** What was in the making when a process died. Nothing of it is the only one of its kind. */
const clearUnfinished = async (programs: DiskPrograms, { image }: Pick<Disk, 'image'>): Promise<void> => {
  const { making, filling, copied } = besides(image)
  while (await isMounted(filling)) await programs.unmount(filling)
  await programs.removeDirectory(filling).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await programs.remove(making)
  await programs.remove(copied)
}

const fill = async (programs: DiskPrograms, { image, point }: Disk): Promise<void> => {
  const { making, filling } = besides(image)
  await programs.makeDirectory(filling)
  await programs.mount(making, filling)
  await programs.copy(point, filling)
  await programs.unmount(filling)
  await programs.removeDirectory(filling)
}

/** A group that has more than it may keeps it, and gets no room beside it. */
const leastFor = async (point: string): Promise<Partial<DiskSize>> => {
  if (!(await isMounted(point))) return {}
  const { blocks, bfree, bsize, files, ffree } = await statfs(point)
  return { bytes: Math.ceil((blocks - bfree) * bsize * 1.02), inodes: files - ffree }
}

const plannedSize = async ({ point, MiB }: Disk): Promise<DiskSize> => sizeOf(MiB, await leastFor(point))

/** Nothing may be written at the point meanwhile. Rejects when what is there does not fit; then all is as it was. */
const buildImage = async (programs: DiskPrograms, disk: Disk): Promise<void> => {
  const { making } = besides(disk.image)
  const size = await plannedSize(disk)
  await programs.makeFile(making, size.bytes)
  await programs.format(making, size)
  await fill(programs, disk)
  if (await isMounted(disk.point)) await programs.unmount(disk.point)
  await programs.rename(making, disk.image)
}

/** Makes a directory empty over which a disk is about to be mounted. */
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

export interface OpenOptions {
  /** Nobody uses the files of this group. */
  readonly quiet: boolean
}

export interface Opened {
  /** Where that is which lay below the mount; undefined where nothing did. */
  readonly setAside?: string
  /** Why the disk does not have its size yet; it will at a later call that finds the group quiet. */
  readonly postponed?: string
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

const mountDisk = async (programs: DiskPrograms, disk: Disk): Promise<string | undefined> => {
  if (await isMounted(disk.point)) return undefined
  await programs.makeDirectory(disk.point)
  const fresh = !(await exists(disk.image))
  if (fresh) await buildImage(programs, disk)
  const aside = await clearPoint(programs, disk, fresh)
  await programs.mount(disk.image, disk.point)
  return aside
}

const rebuild = async (programs: DiskPrograms, disk: Disk): Promise<undefined> => {
  await buildImage(programs, disk)
  await programs.mount(disk.image, disk.point)
}

const grow = async (programs: DiskPrograms, { image, point }: Disk, bytes: number): Promise<string | undefined> => {
  try {
    await programs.grow(image, point, bytes)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error'
  }
}

/** Built anew when it holds a sixteenth less then: a group that has more than it may does not come closer each time. */
const shrink = async (programs: DiskPrograms, disk: Disk, found: number): Promise<string | undefined> => {
  const { bytes } = await plannedSize(disk)
  if (found - bytes <= found / 16) return 'its files take more than it may have'
  return rebuild(programs, disk)
}

const fit = async (programs: DiskPrograms, disk: Disk, { quiet }: OpenOptions): Promise<string | undefined> => {
  const [{ bytes: wanted }, found] = [sizeOf(disk.MiB), await readSize(disk.image)]
  if (found === wanted) return undefined
  if (found > wanted) return quiet ? shrink(programs, disk, found) : 'its files are in use'
  const fault = await grow(programs, disk, wanted)
  // Not every kernel and not every root may grow what is mounted; a copy may be larger.
  return fault === undefined || !quiet ? fault : rebuild(programs, disk)
}

/** As it is, for whoever only looks; where there is none yet nothing is made. False then. */
export const resumeDisk = async (programs: DiskPrograms, disk: Omit<Disk, 'MiB'>): Promise<boolean> => {
  if (await isMounted(disk.point)) return true
  if (!(await exists(disk.image))) return false
  await programs.makeDirectory(disk.point)
  await clearPoint(programs, disk, false)
  await programs.mount(disk.image, disk.point)
  return true
}

/** One call at a time for a disk. Rejects when the group would have no disk at all. */
export const openDisk = async (programs: DiskPrograms, disk: Disk, options: OpenOptions): Promise<Opened> => {
  await programs.makeDirectory(dirname(disk.image))
  await clearUnfinished(programs, disk)
  if (options.quiet && (await isReadOnly(disk.point))) await programs.unmount(disk.point)
  const setAside = await mountDisk(programs, disk)
  const postponed = await fit(programs, disk, options)
  return { ...(setAside === undefined ? {} : { setAside }), ...(postponed === undefined ? {} : { postponed }) }
}

/** Takes disks off the host's tree again. What they hold stays in their images. */
export const closeDisk = async (programs: Pick<DiskPrograms, 'unmount'>, point: string): Promise<void> => {
  while (await isMounted(point)) await programs.unmount(point)
}

/** All that is mounted in a directory and at it, the last made first. Returns how many there were. */
export const closeDisks = async (programs: Pick<DiskPrograms, 'unmount'>, directory: string): Promise<number> => {
  const points = await readMountsBelow(directory)
  for (const point of points.toReversed()) await programs.unmount(point)
  return points.length
}

/** So that a disk which is closed is gone from the namespaces of sandboxes that run too, and its device with it. */
export const shareDirectory = async (programs: Pick<DiskPrograms, 'bind' | 'share'>, directory: string): Promise<void> => {
  if (!(await isMounted(directory))) await programs.bind(directory)
  await programs.share(directory)
}
