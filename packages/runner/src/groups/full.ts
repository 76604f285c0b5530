// Whether a group has used up its disk, for the words with which people hear of a sandbox that ended.
import { statfs } from 'node:fs/promises'

/** Less than this is no room for anything. */
const leastBytes = 64 * 1024

/** One clause for people; undefined where there is room, or no disk. */
export const describeFull = async (disk: string | undefined): Promise<string | undefined> => {
  const found = disk === undefined ? undefined : await statfs(disk).catch(() => undefined)
  if (found === undefined) return undefined
  const { blocks, bavail, bsize, files, ffree } = found
  if (bavail * bsize < leastBytes) return `the disk of its group is full: it has room for ${Math.round((blocks * bsize) / 1024 ** 2)} MiB`
  return ffree === 0 ? `the disk of its group is full: it has room for ${files} files` : undefined
}
