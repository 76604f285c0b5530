// Reads from outside of a unit which journal line its database holds last: what the journal beside it is compared with.
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError, stateFiles } from '@gatehouse/contracts'
import { deriveKey, parseKeyring } from '@gatehouse/kernel'
import type { Head } from './chain.ts'
import { readHead } from './read-head.ts'

/** Files that lie beside a journal in the state directory of a unit, and not beside a copy of the journal. */
const ofState = [stateFiles.database, stateFiles.keyring, stateFiles.state]

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export const isStateDirectory = async (directory: string): Promise<boolean> =>
  (await Promise.all(ofState.map((name) => isThere(join(directory, name))))).includes(true)

const unavailable = (detail: string, hint: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', { detail, hint, cause })

const databaseKey = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unavailable(
      `${path}: the master key cannot be read`,
      'run this as the user of the unit; name a key that is kept elsewhere in SERVICE_MASTER_KEY_FILE',
      cause,
    )
  })
  const newest = parseKeyring(text)?.at(-1)
  if (newest === undefined) throw unavailable(`${path}: not a master key`, 'restore it from a backup')
  return deriveKey(newest.key, 'database', newest.epoch).toString('hex')
}

/** @param keyFile of the master key, where it is kept elsewhere. Rejects with `unavailable` where the head cannot be read. */
export const readHeadBeside = async (directory: string, keyFile?: string): Promise<Head> => {
  const path = join(directory, stateFiles.database)
  if (!(await isThere(path))) throw unavailable(`${path}: the database is missing`, 'restore the state directory from a backup')
  const key = await databaseKey(keyFile ?? join(directory, stateFiles.keyring))
  try {
    // A host may have svcctl without the library of the database.
    const { readStore } = await import('@gatehouse/store')
    return await readStore({ path, key }, readHead)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw unavailable(`${path}: the database cannot be read: ${reason}`, 'run this as the user of the unit, with its master key', cause)
  }
}
