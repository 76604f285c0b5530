// An exclusive lock on a file, released by the kernel when the process ends in any way.
import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { codeOf } from './permission.ts'

export interface Lock {
  release(): Promise<void>
}

const busy = 5

/** Extended codes of SQLite keep the primary one in the low byte. */
export const sqliteCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

/** A collected database is closed, and a closed one is unlocked. */
const held = new Set<object>()

/** Never opens a file that exists: closing any descriptor of it would free the locks that this process has on it. */
const create = async (path: string): Promise<void> => {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Never creates the file, so nothing appears in a directory that its owner is removing. */
const lockDatabase = async (path: string): Promise<{ close(): void } | undefined> => {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(`${pathToFileURL(path).href}?mode=rw`, { timeout: 0 })
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (sqliteCodeOf(error) === busy) return undefined
    throw error
  }
}

/** `O_PATH` of Linux: names a file without opening it, so that closing the descriptor frees no lock. */
const pathOnly = 0o10000000

/** While the descriptor is open, no new file gets the inode number of a removed one. */
const pin = (path: string): Promise<FileHandle> => open(path, pathOnly)

const isStill = async (path: string, { dev, ino }: BigIntStats): Promise<boolean> => {
  const now = await stat(path, { bigint: true }).catch(() => undefined)
  return now?.dev === dev && now.ino === ino
}

/** SQLite has several words for a file that its holder removed during the attempt. */
const lockUnlessRemoved = async (path: string, before: BigIntStats): Promise<{ close(): void } | undefined> => {
  try {
    const database = await lockDatabase(path)
    // The lock of a removed file excludes nobody.
    if (database === undefined || (await isStill(path, before))) return database
    database.close()
    return undefined
  } catch (error) {
    if (await isStill(path, before)) throw error
    return undefined
  }
}

/**
 * An exclusive SQLite lock on the file; undefined while another process holds it, and when its holder removed it during the attempt.
 * Rejects with ENOENT where the file is absent. `create`: makes the file first.
 */
export const takeLock = async (path: string, options: { readonly create: boolean }): Promise<Lock | undefined> => {
  if (options.create) await create(path)
  await using pinned = await pin(path)
  const database = await lockUnlessRemoved(path, await pinned.stat({ bigint: true }))
  if (database === undefined) return undefined
  held.add(database)
  return {
    release: async () => {
      if (held.delete(database)) database.close()
    },
  }
}
