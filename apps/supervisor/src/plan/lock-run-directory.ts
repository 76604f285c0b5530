// One unit for a runtime directory. Another one of the same installation may hold the lock for a moment, to remove what this one left;
// and the runner of a killed supervisor ends a moment after it.
import { exits, isServiceError } from '@gatehouse/contracts'
import { type Lock, lockUnit, makeDirectory, readUnitRecord, Refusal, waitFor } from '@gatehouse/kernel'

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Undefined while another unit holds it, and when its holder has just removed it. */
const attempt = async (path: string): Promise<Lock | undefined> => {
  await makeDirectory(path, 0o711)
  return lockUnit(path, { create: true }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
}

const toRefusal = async (path: string, hint: string, cause: unknown): Promise<Refusal> => {
  const { stateDir, cleaner } = (await readUnitRecord(path)) ?? {}
  if (cleaner !== undefined)
    return new Refusal(exits.stateInUse, {
      detail: `the unit with the state directory ${cleaner} is removing what an earlier unit left, and still uses the runtime directory ${path}`,
      hint: 'start this unit again in a minute; the log of the other unit says what it removes',
      cause,
    })
  return new Refusal(exits.stateInUse, {
    detail: `${path} is the runtime directory of another unit that is running${stateDir === undefined ? '' : `, with the state directory ${stateDir}`}`,
    hint,
    cause,
  })
}

/** Makes the directory. `Refusal` 75 when another unit still holds it after `patience` milliseconds. */
export const lockRunDirectory = (path: string, { hint, patience }: { readonly hint: string; readonly patience: number }): Promise<Lock> =>
  waitFor(() => attempt(path), { what: 'the lock', deadline: patience, every: 50 }).catch(async (error: unknown) => {
    throw isServiceError(error) && error.code === 'deadline' ? await toRefusal(path, hint, error) : error
  })
