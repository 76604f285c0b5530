// Opens and closes the disk of a group: creates it, resizes it and mounts it. Idempotent, and safe to kill at any point.
import { randomBytes } from 'node:crypto'
import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readMountsBelow } from '@gatehouse/kernel'
import { besides, type Disk, type DiskSize, isMounted, isReadOnly, readSize, sizeOf } from './disk.ts'
import type { DiskPrograms } from './programs.ts'

/** Removes incomplete files of a process that died. None of them is the only copy. */
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

/** A group above its limit keeps its files, but gets no additional space. */
const leastFor = async (point: string): Promise<Partial<DiskSize>> => {
  if (!(await isMounted(point))) return {}
  const { blocks, bfree, bsize, files, ffree } = await statfs(point)
  return { bytes: Math.ceil((blocks - bfree) * bsize * 1.02), inodes: files - ffree }
}

const plannedSize = async ({ point, MiB }: Disk): Promise<DiskSize> => sizeOf(MiB, await leastFor(point))

/** Nothing may write to the mount point during the call. Rejects when the files do not fit; then nothing has changed. */
const buildImage = async (programs: DiskPrograms, disk: Disk): Promise<void> => {
  const { making } = besides(disk.image)
  const size = await plannedSize(disk)
  await programs.makeFile(making, size.bytes)
  await programs.format(making, size)
  await fill(programs, disk)
  if (await isMounted(disk.point)) await programs.unmount(disk.point)
  await programs.rename(making, disk.image)
}

/** Empties a directory before a disk is mounted over it. */
type Acts = Pick<DiskPrograms, 'rename' | 'makeDirectory' | 'remove'>

/** Removes files that the disk has already; moves others aside and resolves to their new path. */
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
  /** No process uses the files of this group. */
  readonly quiet: boolean
}

export interface Opened {
  /** Path of the files that were below the mount; undefined without any. */
  readonly setAside?: string
  /** Why the disk does not have its size yet. A later call while the group is idle completes it. */
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

/** Rebuilt only if that saves a sixteenth: a group above its limit is not rebuilt at every call. */
const shrink = async (programs: DiskPrograms, disk: Disk, found: number): Promise<string | undefined> => {
  const { bytes } = await plannedSize(disk)
  if (found - bytes <= found / 16) return 'its files exceed its limit'
  return rebuild(programs, disk)
}

const fit = async (programs: DiskPrograms, disk: Disk, { quiet }: OpenOptions): Promise<string | undefined> => {
  const [{ bytes: wanted }, found] = [sizeOf(disk.MiB), await readSize(disk.image)]
  if (found === wanted) return undefined
  if (found > wanted) return quiet ? shrink(programs, disk, found) : 'its files are in use'
  const fault = await grow(programs, disk, wanted)
  // Not every kernel and not every root can grow a mounted file system; a copy can be larger.
  return fault === undefined || !quiet ? fault : rebuild(programs, disk)
}

/** Mounts the disk unchanged, for reading. Creates nothing; resolves to false where there is no disk. */
export const resumeDisk = async (programs: DiskPrograms, disk: Omit<Disk, 'MiB'>): Promise<boolean> => {
  if (await isMounted(disk.point)) return true
  if (!(await exists(disk.image))) return false
  await programs.makeDirectory(disk.point)
  await clearPoint(programs, disk, false)
  await programs.mount(disk.image, disk.point)
  return true
}

/** Only one call per disk at a time. Rejects when the group would have no disk. */
export const openDisk = async (programs: DiskPrograms, disk: Disk, options: OpenOptions): Promise<Opened> => {
  await programs.makeDirectory(dirname(disk.image))
  await clearUnfinished(programs, disk)
  if (options.quiet && (await isReadOnly(disk.point))) await programs.unmount(disk.point)
  const setAside = await mountDisk(programs, disk)
  const postponed = await fit(programs, disk, options)
  return { ...(setAside === undefined ? {} : { setAside }), ...(postponed === undefined ? {} : { postponed }) }
}

/** Unmounts disks. Their content stays in their images. */
export const closeDisk = async (programs: Pick<DiskPrograms, 'unmount'>, point: string): Promise<void> => {
  while (await isMounted(point)) await programs.unmount(point)
}

/** Unmounts everything at and below a directory, latest mount first. Resolves to the number of mounts. */
export const closeDisks = async (programs: Pick<DiskPrograms, 'unmount'>, directory: string): Promise<number> => {
  const points = await readMountsBelow(directory)
  for (const point of points.toReversed()) await programs.unmount(point)
  return points.length
}

/** Makes mounts shared, so that an unmounted disk and its device disappear from the namespaces of running sandboxes too. */
export const shareDirectory = async (programs: Pick<DiskPrograms, 'bind' | 'share'>, directory: string): Promise<void> => {
  if (!(await isMounted(directory))) await programs.bind(directory)
  await programs.share(directory)
}
