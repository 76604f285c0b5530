// Disk that is kept for the journal: written, not only promised, and given up when there is no other.
import { randomFillSync } from 'node:crypto'
import { type FileHandle, open, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Logger, syncPath } from '@gatehouse/kernel'

export interface ReserveOptions {
  readonly path: string
  readonly bytes: number
}

export interface Reserve {
  /** True while the disk is kept, or is about to be for the first time. */
  kept(): boolean
  /** True if something was given up by it. */
  giveUp(): Promise<boolean>
  /** Keeps the disk if it is not kept and there is room for it and as much again. */
  refill(): Promise<void>
  /** The disk stays kept; nothing is done from now on. */
  close(): Promise<void>
}

const step = 1024 * 1024

const isWhole = async (handle: FileHandle, bytes: number): Promise<boolean> => {
  const { size, blocks } = await handle.stat()
  return size === bytes && blocks * 512 >= bytes
}

/** What cannot be compressed away. */
const fill = async (handle: FileHandle, bytes: number): Promise<void> => {
  await handle.truncate(0)
  for (let left = bytes; left > 0; left -= step) await handle.writeFile(randomFillSync(Buffer.allocUnsafe(Math.min(step, left))))
  await handle.sync()
}

const remove = (path: string): Promise<boolean> =>
  rm(path).then(
    () => true,
    () => false,
  )

/** Rejects where there is no room for it and as much again. */
const keep = async ({ path, bytes }: ReserveOptions): Promise<void> => {
  await using handle = await open(path, 'a', 0o600)
  if (await isWhole(handle, bytes)) return
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < 2 * bytes) throw new Error(`${path}: expected twice ${bytes} bytes of free disk`)
  await fill(handle, bytes)
  await syncPath(dirname(path))
}

export const createReserve = ({ path, bytes }: ReserveOptions, log: Logger): Reserve => {
  let kept: boolean | undefined
  let filling: Promise<void> | undefined
  let closed = false

  const make = async (): Promise<void> => {
    try {
      await keep({ path, bytes })
      if (kept === false) log.info('the disk kept for the journal is there again', { path, bytes })
      kept = true
    } catch (error) {
      if (kept !== false) log.warn('no disk can be kept for the journal', { error })
      kept = false
      await remove(path)
    }
  }
  return {
    kept: () => kept !== false,
    giveUp: async () => {
      await filling
      const given = kept === true
      kept = false
      const room = (await remove(path)) && given
      if (room) log.warn('the disk is full: what was kept for the journal is given up', { path, bytes })
      return room
    },
    refill: () => {
      if (kept === true || closed) return Promise.resolve()
      filling ??= make().finally(() => (filling = undefined))
      return filling
    },
    close: async () => {
      closed = true
      await filling
    },
  }
}
