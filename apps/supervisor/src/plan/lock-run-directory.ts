// One unit for a runtime directory. Another one of the same installation may hold the lock for a moment, to remove what this one left.
import { join } from 'node:path'
import { exits, isServiceError, limits } from '@gatehouse/contracts'
import { type Lock, makeDirectory, readUnitRecord, Refusal, takeLock, unitLockName, waitFor } from '@gatehouse/kernel'

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Undefined while another unit holds it, and when its holder has just removed it. */
const attempt = async (path: string): Promise<Lock | undefined> => {
  await makeDirectory(path, 0o711)
  return takeLock(join(path, unitLockName), { create: true }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
}

/** Makes the directory. `Refusal` 75 while another unit holds it. */
export const lockRunDirectory = (path: string, hint: string): Promise<Lock> =>
  waitFor(() => attempt(path), { what: 'the lock', deadline: limits.drainTime, every: 50 }).catch(async (error: unknown) => {
    if (!isServiceError(error) || error.code !== 'deadline') throw error
    const holder = (await readUnitRecord(path))?.stateDir
    throw new Refusal(exits.stateInUse, {
      detail: `${path} is the runtime directory of another unit that is running${holder === undefined ? '' : `, with the state directory ${holder}`}`,
      hint,
      cause: error,
    })
  })
