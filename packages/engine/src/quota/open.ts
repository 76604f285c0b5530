// Opens the disk of a group: made at the first time, made to fit a changed limit, and mounted. Bears to be killed anywhere and called again.
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buildImage, clearUnfinished, plannedSize } from './build.ts'
import { clearPoint } from './clear-point.ts'
import type { Disk } from './disk.ts'
import { isMounted, isReadOnly } from './mounted.ts'
import type { DiskPrograms } from './programs.ts'
import { readSize, sizeOf } from './size.ts'

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
