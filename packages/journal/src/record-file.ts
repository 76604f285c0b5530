// The file of records: appends whole lines, and creates the file again when its name no longer refers to it.
import { constants, ftruncateSync, lstatSync, statfsSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limits } from '@gatehouse/contracts'
import { syncPath } from '@gatehouse/kernel'
import { type Identity, isSameFile } from './guard.ts'
import { journalFlags, linesBackward, readFrom } from './lines.ts'

/** Milliseconds for which a result is cached. */
const answerTime = 1_000

interface Disk {
  readonly free: number
  readonly size: number
}

const look = (directory: string): Disk => {
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** True if less than 256 MiB, or less than an eighth of a small volume, is free. */
export const isLowOnSpace = ({ free, size }: Disk): boolean => free < Math.min(limits.diskForOthers, size / 8)

/** The function returns false while the remaining space is reserved for the journal. */
export const watchRoom = (directory: string): (() => boolean) => {
  let until = 0
  let hasRoom = true
  return () => {
    const now = performance.now()
    // Freed space is noticed at once.
    if (now >= until || !hasRoom) {
      hasRoom = !isLowOnSpace(look(directory))
      until = now + answerTime
    }
    return hasRoom
  }
}

export interface RecordFile {
  readonly size: number
  /** Writes whole lines, all of them or none. */
  write(lines: Buffer): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

interface Target {
  readonly handle: FileHandle
  readonly identity: Identity
  size: number
  /** Whether a partial line may follow `size`. */
  partial: boolean
}

const openTarget = async (path: string): Promise<Target> => {
  const handle = await open(path, journalFlags | constants.O_CREAT, 0o600)
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true })
    // A new name is on disk before the first record is synced.
    if (size === 0n) await syncPath(dirname(path))
    const target: Target = { handle, identity: { dev, ino }, size: Number(size), partial: false }
    for await (const { start } of linesBackward(readFrom(handle), target.size)) {
      if (start < target.size) await handle.truncate(start)
      target.size = start
      break
    }
    return target
  } catch (error) {
    await handle.close()
    throw error
  }
}

const isInPlace = (path: string, { identity }: Target): boolean => {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found !== undefined && isSameFile(found, identity)
}

/** A write to the page cache takes microseconds; a trip to the thread pool would take ten times as long. */
const writeNow = (target: Target, lines: Buffer): void => {
  const { fd } = target.handle
  if (target.partial) ftruncateSync(fd, target.size)
  target.partial = true
  for (let written = 0; written < lines.length;) written += writeSync(fd, lines, written)
  target.size += lines.length
  target.partial = false
}

export const openRecordFile = async (path: string): Promise<RecordFile> => {
  let target = await openTarget(path)
  const reopen = async (): Promise<void> => {
    const old = target.handle
    target = await openTarget(path)
    await old.datasync()
    await old.close()
  }
  return {
    get size() {
      return target.size
    },
    async write(lines) {
      if (!isInPlace(path, target)) await reopen()
      writeNow(target, lines)
    },
    sync: () => target.handle.datasync(),
    async close() {
      await target.handle.datasync()
      await target.handle.close()
    },
  }
}
