// Exclusive locks on files, which the kernel releases when the process ends, and the lock of the only writer of a state directory.
import type { BigIntStats } from 'node:fs'
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exits, stateFiles } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { privateDirectory } from './directory.ts'
import { errorCode, orRefuse, ownershipRefusal } from './permission.ts'

export interface Lock {
  release(): Promise<void>
}

const busy = 5

/** The primary SQLite result code of an error; extended codes have it in the low byte. */
const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

/** Keeps locked databases reachable: a garbage-collected database is closed, and closing releases the lock. */
const held = new Set<object>()

/** Never opens an existing file: closing any descriptor of it would release the locks that this process has on it. */
const create = async (path: string): Promise<void> => {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** Never creates the file, so that no file appears in a directory that its owner is removing. */
const lockDatabase = async (path: string): Promise<{ close(): void } | undefined> => {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(`${pathToFileURL(path).href}?mode=rw`, { timeout: 0 })
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (sqliteCode(error) === busy) return undefined
    throw error
  }
}

/** `O_PATH` of Linux: refers to a file without opening it, so that closing the descriptor releases no lock. */
const pathOnly = 0o10000000

/** While the descriptor is open, no new file gets the inode number of a removed one. */
const pin = (path: string): Promise<FileHandle> => open(path, pathOnly)

const isStill = async (path: string, { dev, ino }: BigIntStats): Promise<boolean> => {
  const now = await stat(path, { bigint: true }).catch(() => undefined)
  return now?.dev === dev && now.ino === ino
}

/** SQLite reports several different errors when the holder removes the file during the attempt. */
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
 * Takes an exclusive SQLite lock on the file. Resolves to undefined while another process holds it, and when the holder removed the file
 * during the attempt. Rejects with ENOENT where the file is missing; `create` creates it first.
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
    detail: `another unit holds the state directory ${stateDir}: its ${service} holds the lock`,
    hint: 'stop the other unit, or choose another --state-dir',
  })

/**
 * Locks `<stateDir>/locks/<service>.db`; the state directory must exist. Rejects with `Refusal` 75 when another process holds the lock
 * and with 77 when permission is missing.
 */
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
    throw unwritable.includes(sqliteCode(error)) ? ownershipRefusal(stateDir, error, 0o700) : error
  })
  if (lock === undefined) throw inUse(stateDir, service)
  return lock
}
