// Whether the disk of the unit has room for what somebody brings: the rest of it is for the journal.
import { statfs } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'

/** With so many bytes more, less than 256 MiB would be free, or than an eighth of a small volume. */
export const isScarce = async (directory: string, bytes = 0): Promise<boolean> => {
  const { bavail, blocks, bsize } = await statfs(directory)
  return bavail * bsize - bytes < Math.min(limits.diskForOthers, (blocks * bsize) / 8)
}
