// Checks a journal offline with all that lies beside it: the public keys, and the database that has seen its lines. Says what was
// compared and what was not, so that nobody takes half a check for a whole one. Never writes.
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isServiceError, ServiceError, stateFiles } from '@gatehouse/contracts'
import { deriveKey, parseKeyring } from '@gatehouse/kernel'
import { type Head, readHead } from './chain.ts'
import type { KnownHead } from './inspector.ts'
import { type Verdict, verifyJournal } from './verify.ts'

/** Files that lie beside a journal in the state directory of a unit, and not beside a copy of the journal. */
const ofState = [stateFiles.database, stateFiles.keyring, stateFiles.state]

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const isStateDirectory = async (directory: string): Promise<boolean> =>
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
const readHeadBeside = async (directory: string, keyFile?: string): Promise<Head> => {
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

export interface VerifyBesideOptions {
  readonly path: string
  /** Of the master key, where it is kept elsewhere. */
  readonly keyFile?: string | undefined
  readonly known?: readonly KnownHead[]
}

export type DatabaseComparison =
  | { readonly status: 'compared' }
  /** The journal does not lie in a state directory. */
  | { readonly status: 'absent' }
  | { readonly status: 'failed'; readonly error: ServiceError }

export interface VerdictBeside {
  readonly verdict: Verdict
  /** Whether the signatures of checkpoints were checked. */
  readonly signatures: boolean
  readonly database: DatabaseComparison
}

interface Seen {
  readonly database: DatabaseComparison
  readonly known: readonly KnownHead[]
}

const seenBeside = async (directory: string, keyFile: string | undefined): Promise<Seen> => {
  if (!(await isStateDirectory(directory))) return { database: { status: 'absent' }, known: [] }
  try {
    const head = await readHeadBeside(directory, keyFile)
    return { database: { status: 'compared' }, known: [{ ...head, source: 'the last line that the database holds' }] }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return { database: { status: 'failed', error }, known: [] }
  }
}

/** Rejects with a `ServiceError` if a file of the journal cannot be read at all. */
export const verifyBeside = async ({ path, keyFile, known = [] }: VerifyBesideOptions): Promise<VerdictBeside> => {
  const directory = dirname(path)
  const publicKeyPath = join(directory, stateFiles.journalKey)
  const signatures = await access(publicKeyPath).then(
    () => true,
    () => false,
  )
  // Before the journal: what is added meanwhile is in the journal first.
  const seen = await seenBeside(directory, keyFile)
  const verdict = await verifyJournal({ path, ...(signatures ? { publicKeyPath } : {}), known: [...known, ...seen.known] })
  return { verdict, signatures, database: seen.database }
}
