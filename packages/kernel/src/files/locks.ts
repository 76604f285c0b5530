// Exclusive locks on files, freed by the kernel when the process ends in any way, and the lock of the one writer of a state directory.
import type { BigIntStats } from 'node:fs'
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exits, stateFiles } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { privateDirectory } from './directory.ts'
import { codeOf, orRefuse, ownershipRefusal } from './permission.ts'

export interface Lock {
  release(): Promise<void>
}

const busy = 5

/** Extended codes of SQLite keep the primary one in the low byte. */
const sqliteCodeOf = (error: unknown): number | undefined =>
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

const unwritable: readonly unknown[] = [3, 8, 10, 14]

const inUse = (stateDir: string, service: string): Refusal =>
  new Refusal(exits.stateInUse, {
    detail: `expected to be the only ${service} on ${stateDir}, got a lock that another process holds: another unit holds the state`,
    hint: 'stop the other unit, or choose another --state-dir',
  })

/** The state directory must exist. Holds an exclusive SQLite lock on `<stateDir>/locks/<service>.db`. Taken: `Refusal` 75. No permission: `Refusal` 77. */
export const lockWriter = async (stateDir: string, service: string): Promise<Lock> => {
  const lock = await orRefuse(
    stateDir,
    async () => {
      await access(stateDir, constants.W_OK)
      await privateDirectory(join(stateDir, stateFiles.locks))
      return takeLock(join(stateDir, stateFiles.locks, `${service}.db`), { create: true })
    },
    0o700,
  ).catch((error: unknown) => {
    throw unwritable.includes(sqliteCodeOf(error)) ? ownershipRefusal(stateDir, error, 0o700) : error
  })
  if (lock === undefined) throw inUse(stateDir, service)
  return lock
}
