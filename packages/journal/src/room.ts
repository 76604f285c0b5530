// Whether the disk has room for what may stop before the journal does.
import { statfsSync } from 'node:fs'
import { limits } from '@gatehouse/contracts'

/** Milliseconds that an answer holds. */
const answerTime = 1_000

export interface Disk {
  readonly free: number
  readonly size: number
}

const look = (directory: string): Disk => {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Less than 256 MiB are free, or than an eighth of a small volume. */
export const isScarce = ({ free, size }: Disk): boolean => free < Math.min(limits.diskForOthers, size / 8)

/** False while the disk of this directory is wanted for the journal. */
export const watchRoom = (directory: string): (() => boolean) => {
  let until = 0
  let hasRoom = true
  return () => {
    const now = performance.now()
    // Room that comes back is seen at once.
    if (now >= until || !hasRoom) {
      hasRoom = !isScarce(look(directory))
      until = now + answerTime
    }
    return hasRoom
  }
}
