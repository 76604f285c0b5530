// A disk reserve for the journal: a file with real blocks that is deleted when the disk is full.
import { randomFillSync } from 'node:crypto'
import { type FileHandle, open, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Logger, syncPath } from '@gatehouse/kernel'

export interface ReserveOptions {
  readonly path: string
  readonly bytes: number
}

export interface Reserve {
  /** True while the reserve exists or is being created for the first time. */
  isAvailable(): boolean
  /** Deletes the reserve. Resolves to true if that freed space. */
  release(): Promise<boolean>
  /** Creates the reserve if it is missing and at least twice its size is free. */
  refill(): Promise<void>
  /** Stops without deleting the reserve. */
  close(): Promise<void>
}

const chunkSize = 1024 * 1024

const isWhole = async (handle: FileHandle, bytes: number): Promise<boolean> => {
  const { size, blocks } = await handle.stat()
  return size === bytes && blocks * 512 >= bytes
}

/** Writes random bytes, which a file system cannot compress. */
const fill = async (handle: FileHandle, bytes: number): Promise<void> => {
  await handle.truncate(0)
  for (let left = bytes; left > 0; left -= chunkSize) await handle.writeFile(randomFillSync(Buffer.allocUnsafe(Math.min(chunkSize, left))))
  await handle.sync()
}

const remove = (path: string): Promise<boolean> =>
  rm(path).then(
    () => true,
    () => false,
  )

/** Rejects where less than twice the size is free. */
const createFile = async ({ path, bytes }: ReserveOptions): Promise<void> => {
  await using handle = await open(path, 'a', 0o600)
  if (await isWhole(handle, bytes)) return
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < 2 * bytes) throw new Error(`${path}: less than ${2 * bytes} bytes of disk are free`)
  await fill(handle, bytes)
  await syncPath(dirname(path))
}

export const createReserve = ({ path, bytes }: ReserveOptions, log: Logger): Reserve => {
  let isFilled: boolean | undefined
  let filling: Promise<void> | undefined
  let closed = false

  const create = async (): Promise<void> => {
    try {
      await createFile({ path, bytes })
      if (isFilled === false) log.info('disk reserve of the journal restored', { path, bytes })
      isFilled = true
    } catch (error) {
      if (isFilled !== false) log.warn('could not create the disk reserve of the journal', { error })
      isFilled = false
      await remove(path)
    }
  }
  return {
    isAvailable: () => isFilled !== false,
    release: async () => {
      await filling
      const wasFilled = isFilled === true
      isFilled = false
      const room = (await remove(path)) && wasFilled
      if (room) log.warn('disk full: released the disk reserve of the journal', { path, bytes })
      return room
    },
    refill: () => {
      if (isFilled === true || closed) return Promise.resolve()
      filling ??= create().finally(() => (filling = undefined))
      return filling
    },
    close: async () => {
      closed = true
      await filling
    },
  }
}
