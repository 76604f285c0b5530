// Takes disks off the host's tree again. What they hold stays in their images.
import { mountsBelow } from '@gatehouse/kernel'
import { isMounted } from './mounted.ts'
import type { DiskPrograms } from './programs.ts'

export const closeDisk = async (programs: Pick<DiskPrograms, 'unmount'>, point: string): Promise<void> => {
  while (await isMounted(point)) await programs.unmount(point)
}

/** All that is mounted in a directory and at it, the last made first. Returns how many there were. */
export const closeDisks = async (programs: Pick<DiskPrograms, 'unmount'>, directory: string): Promise<number> => {
  const points = await mountsBelow(directory)
  for (const point of points.toReversed()) await programs.unmount(point)
  return points.length
}

/** So that a disk which is closed is gone from the namespaces of sandboxes that run too, and its device with it. */
export const shareDirectory = async (programs: Pick<DiskPrograms, 'bind' | 'share'>, directory: string): Promise<void> => {
  if (!(await isMounted(directory))) await programs.bind(directory)
  await programs.share(directory)
}
