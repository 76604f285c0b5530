// Reads of files that may not exist.
import { codeOf } from './permission.ts'

/** Resolves to undefined where the file does not exist. Every other error is passed on. */
export const ifPresent = <T>(access: Promise<T>): Promise<T | undefined> =>
  access.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
