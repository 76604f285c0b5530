// The lock of the one writer of a state directory, freed by the kernel when the process dies.
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { privateDirectory } from './directory.ts'
import { type Lock, sqliteCodeOf, takeLock } from './exclusive-lock.ts'
import { orRefuse, ownershipRefusal } from './permission.ts'

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
