// Makes an image beside its place, with all that is at the mount point now. The rename is the moment from which it counts.
import { statfs } from 'node:fs/promises'
import { besides, type Disk } from './disk.ts'
import { isMounted } from './mounted.ts'
import type { DiskPrograms } from './programs.ts'
import { type DiskSize, sizeOf } from './size.ts'

/** What was in the making when a process died. Nothing of it is the only one of its kind. */
export const clearUnfinished = async (programs: DiskPrograms, { image }: Pick<Disk, 'image'>): Promise<void> => {
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

export const plannedSize = async ({ point, MiB }: Disk): Promise<DiskSize> => sizeOf(MiB, await leastFor(point))

/** Nothing may be written at the point meanwhile. Rejects when what is there does not fit; then all is as it was. */
export const buildImage = async (programs: DiskPrograms, disk: Disk): Promise<void> => {
  const { making } = besides(disk.image)
  const size = await plannedSize(disk)
  await programs.makeFile(making, size.bytes)
  await programs.format(making, size)
  await fill(programs, disk)
  if (await isMounted(disk.point)) await programs.unmount(disk.point)
  await programs.rename(making, disk.image)
}
