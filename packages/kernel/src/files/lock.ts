// The lock of the one writer of a state directory, freed by the kernel when the process dies.
import { access, constants, open } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { codeOf, orRefuse, ownershipRefusal } from './permission.ts'
import { privateDirectory } from './private-directory.ts'

export interface Lock {
  release(): Promise<void>
}

const busy = 5
const unwritable: readonly unknown[] = [3, 8, 10, 14]

const refuse = (stateDir: string, service: string, error: unknown): unknown => {
  // Extended codes of SQLite keep the primary one in the low byte.
  const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
  if (unwritable.includes(code)) return ownershipRefusal(stateDir, error, 0o700)
  if (code !== busy) return error
  return new Refusal(exits.stateInUse, {
    detail: `expected to be the only ${service} on ${stateDir}, got a lock that another process holds: another unit holds the state`,
    hint: 'stop the other unit, or choose another --state-dir',
    cause: error,
  })
}

/** Never opens a file that is there: closing any descriptor of it would free the locks that this process has on it. */
const create = async (path: string): Promise<void> => {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** What is collected is closed, and what is closed is unlocked. */
const held = new Set<object>()

/** The state directory must exist. Holds an exclusive SQLite lock on `<stateDir>/locks/<service>.db`. Taken: `Refusal` 75. No permission: `Refusal` 77. */
export const lockWriter = async (stateDir: string, service: string): Promise<Lock> => {
  const path = join(stateDir, stateFiles.locks, `${service}.db`)
  await orRefuse(
    stateDir,
    async () => {
      await access(stateDir, constants.W_OK)
      await privateDirectory(join(stateDir, stateFiles.locks))
      await create(path)
    },
    0o700,
  )
  const { DatabaseSync } = await import('node:sqlite')
  try {
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    } catch (error) {
      database.close()
      throw error
    }
    held.add(database)
    return {
      release: async () => {
        if (held.delete(database)) database.close()
      },
    }
  } catch (error) {
    throw refuse(stateDir, service, error)
  }
}
