// Evidence that is too large for its change: stored once under its digest before any journal record names it.
import {
  type Change,
  type Described,
  type Digest,
  type Heard,
  type PackageName,
  type ServerName,
  Drift,
  Evidence,
  ToolDefinition,
} from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'

/** The evidence that an approver must be shown, by the process that provides it. */
export type RequiredEvidence =
  /** Tool definitions of a server, from the broker. No tools means all that it declares. */
  | { readonly from: 'broker'; readonly server: ServerName; readonly tools: readonly string[] }
  /** Inspections of host paths, from the runner. */
  | { readonly from: 'runner'; readonly sources: readonly string[] }
  /** A package tree, which the runner resolves at the registry. */
  | { readonly from: 'registry'; readonly names: readonly PackageName[] }
  /** Evidence that the change itself contains. */
  | { readonly from: 'change'; readonly evidence: Described | Heard }

/** Age in whole seconds. @param at when it was reported @param now milliseconds since the epoch */
export const computeAge = (at: string, now: number): number => Math.max(0, Math.round((now - Date.parse(at)) / 1000))

type Json = Record<string, unknown>

const Definitions = v.strictObject({ tools: v.array(ToolDefinition), drift: v.array(Drift) })
export type Definitions = v.InferOutput<typeof Definitions>

export interface StoredEvidence {
  readonly digest: Digest
  readonly definitions: Definitions
}

/** Number of last rows to keep, because a change that refers to one may not be journaled yet. */
const keptRows = 64

/** Deletes evidence that no change refers to, such as that of previews. */
const deleteUnused = (tx: Transaction): Promise<unknown> =>
  tx.run(
    `DELETE FROM evidence WHERE rowid <= (SELECT max(rowid) FROM evidence) - ?
       AND digest NOT IN (SELECT definitions FROM changes WHERE definitions IS NOT NULL)`,
    [keptRows],
  )

export const storeEvidence = async (store: Store, { digest, definitions }: StoredEvidence): Promise<void> => {
  const stored = await store.read.get('SELECT 1 FROM evidence WHERE digest = ?', [digest])
  if (stored !== undefined) return
  await store.write(async (tx) => {
    await tx.run('INSERT INTO evidence (digest, record) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING', [
      digest,
      JSON.stringify(definitions),
    ])
    await deleteUnused(tx)
  })
}

export const readDefinitions = async (rows: Rows, digest: Digest): Promise<Definitions | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM evidence WHERE digest = ?', [digest])
  return row === undefined ? undefined : v.parse(Definitions, JSON.parse(row.record))
}

export const parseEvidence = (change: Pick<Change, 'evidence'>): Evidence | null => v.parse(v.nullable(Evidence), change.evidence)

/** The evidence of a change, with the definitions that it refers to by digest. */
export const readStoredEvidence = async (rows: Rows, change: Pick<Change, 'evidence'>): Promise<{ evidence: Json | null }> => {
  const evidence = parseEvidence(change)
  const definitions = evidence?.status === 'too-large' ? await readDefinitions(rows, evidence.definitions) : undefined
  if (evidence?.status !== 'too-large' || definitions === undefined) return { evidence }
  const { server, entryDigest, at, age, missing } = evidence
  return { evidence: { status: 'observed', server, entryDigest, at, age, missing, ...definitions } }
}
