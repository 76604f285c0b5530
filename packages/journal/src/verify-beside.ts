// Checks a journal offline with all that lies beside it: the public keys, and the database that has seen its lines. Says what was
// compared and what was not, so that nobody takes half a check for a whole one. Never writes.
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isServiceError, type ServiceError, stateFiles } from '@gatehouse/contracts'
import { isStateDirectory, readHeadBeside } from './database-head.ts'
import type { KnownHead } from './inspector.ts'
import { type Verdict, verifyJournal } from './verify.ts'

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
