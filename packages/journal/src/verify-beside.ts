// Verifies a journal offline together with the files beside it: the public keys, and the database that has recorded its lines. The
// result says what was compared and what was not, so that a partial check is not mistaken for a complete one. Never writes.
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isServiceError, ServiceError, stateFiles } from '@gatehouse/contracts'
import { deriveKey, parseKeyring } from '@gatehouse/kernel'
import { type Head, readHead } from './chain.ts'
import type { KnownHead } from './inspector.ts'
import { type Verdict, verifyJournal } from './verify.ts'

/** Files beside a journal in a state directory, but not beside a copy of a journal. */
const stateFileNames = [stateFiles.database, stateFiles.keyring, stateFiles.state]

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const isStateDirectory = async (directory: string): Promise<boolean> =>
  (await Promise.all(stateFileNames.map((name) => exists(join(directory, name))))).includes(true)

const unavailable = (detail: string, hint: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', { detail, hint, cause })

const databaseKey = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unavailable(
      `${path}: cannot read the master key`,
      'run this as the user of the unit; if the key is stored elsewhere, set SERVICE_MASTER_KEY_FILE',
      cause,
    )
  })
  const newest = parseKeyring(text)?.at(-1)
  if (newest === undefined) throw unavailable(`${path}: not a master key`, 'restore it from a backup')
  return deriveKey(newest.key, 'database', newest.epoch).toString('hex')
}

/** Rejects with `unavailable` where the head cannot be read. @param keyFile path of a master key outside of the state directory */
const readHeadBeside = async (directory: string, keyFile?: string): Promise<Head> => {
  const path = join(directory, stateFiles.database)
  if (!(await exists(path))) throw unavailable(`${path}: the database is missing`, 'restore the state directory from a backup')
  const key = await databaseKey(keyFile ?? join(directory, stateFiles.keyring))
  try {
    // The database library may be missing on a host that only has svcctl.
    const { readStore } = await import('@gatehouse/store')
    return await readStore({ path, key }, readHead)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw unavailable(`${path}: cannot read the database: ${reason}`, 'run this as the user of the unit, with its master key', cause)
  }
}

export interface VerifyBesideOptions {
  readonly path: string
  /** Path of a master key outside of the state directory. */
  readonly keyFile?: string | undefined
  readonly known?: readonly KnownHead[]
}

export type DatabaseComparison =
  | { readonly status: 'compared' }
  /** The journal is not in a state directory. */
  | { readonly status: 'absent' }
  | { readonly status: 'failed'; readonly error: ServiceError }

export interface VerdictBeside {
  readonly verdict: Verdict
  /** Whether the signatures of checkpoints were checked. */
  readonly signatures: boolean
  readonly database: DatabaseComparison
}

interface KnownState {
  readonly database: DatabaseComparison
  readonly known: readonly KnownHead[]
}

const readKnownState = async (directory: string, keyFile: string | undefined): Promise<KnownState> => {
  if (!(await isStateDirectory(directory))) return { database: { status: 'absent' }, known: [] }
  try {
    const head = await readHeadBeside(directory, keyFile)
    return { database: { status: 'compared' }, known: [{ ...head, source: 'the last line in the database' }] }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return { database: { status: 'failed', error }, known: [] }
  }
}

/** Rejects with a `ServiceError` if a journal file cannot be read. */
export const verifyBeside = async ({ path, keyFile, known = [] }: VerifyBesideOptions): Promise<VerdictBeside> => {
  const directory = dirname(path)
  const publicKeyPath = join(directory, stateFiles.journalKey)
  const signatures = await access(publicKeyPath).then(
    () => true,
    () => false,
  )
  // Read before the journal: lines that are added in the meantime are in the journal first.
  const state = await readKnownState(directory, keyFile)
  const verdict = await verifyJournal({ path, ...(signatures ? { publicKeyPath } : {}), known: [...known, ...state.known] })
  return { verdict, signatures, database: state.database }
}
