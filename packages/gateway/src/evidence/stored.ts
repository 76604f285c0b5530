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

/** What an approver must be shown, by who can tell. */
export type RequiredEvidence =
  /** Declarations of a tool server, from the broker. No tools: all that it declares. */
  | { readonly from: 'broker'; readonly server: ServerName; readonly tools: readonly string[] }
  /** Paths of the host, from the runner. */
  | { readonly from: 'runner'; readonly sources: readonly string[] }
  /** A tree of packages, from the runner, who asks the registry. */
  | { readonly from: 'registry'; readonly names: readonly PackageName[] }
  /** Nobody is asked. */
  | { readonly from: 'change'; readonly evidence: Described | Heard }

/** @param at when it was seen */
export const ageOf = (at: string, now: number): number => Math.max(0, Math.round((now - Date.parse(at)) / 1000))

type Json = Record<string, unknown>

const Definitions = v.strictObject({ tools: v.array(ToolDefinition), drift: v.array(Drift) })
export type Definitions = v.InferOutput<typeof Definitions>

export interface StoredEvidence {
  readonly digest: Digest
  readonly definitions: Definitions
}

/** A change that is about to name one of the last so many may still be on its way into the journal. */
const onTheirWay = 64

/** What no change names any more: previews, and listings that a held change has moved away from. */
const forget = (tx: Transaction): Promise<unknown> =>
  tx.run(
    `DELETE FROM evidence WHERE rowid <= (SELECT max(rowid) FROM evidence) - ?
       AND digest NOT IN (SELECT definitions FROM changes WHERE definitions IS NOT NULL)`,
    [onTheirWay],
  )

export const storeEvidence = async (store: Store, { digest, definitions }: StoredEvidence): Promise<void> => {
  const kept = await store.read.get('SELECT 1 FROM evidence WHERE digest = ?', [digest])
  if (kept !== undefined) return
  await store.write(async (tx) => {
    await tx.run('INSERT INTO evidence (digest, record) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING', [
      digest,
      JSON.stringify(definitions),
    ])
    await forget(tx)
  })
}

export const readDefinitions = async (rows: Rows, digest: Digest): Promise<Definitions | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM evidence WHERE digest = ?', [digest])
  return row === undefined ? undefined : v.parse(Definitions, JSON.parse(row.record))
}

export const evidenceOf = (change: Pick<Change, 'evidence'>): Evidence | null => v.parse(v.nullable(Evidence), change.evidence)

/** What the change shows, with all that it names by digest alone. */
export const readStoredEvidence = async (rows: Rows, change: Pick<Change, 'evidence'>): Promise<{ evidence: Json | null }> => {
  const evidence = evidenceOf(change)
  const definitions = evidence?.status === 'too-large' ? await readDefinitions(rows, evidence.definitions) : undefined
  if (evidence?.status !== 'too-large' || definitions === undefined) return { evidence }
  const { server, entryDigest, at, age, missing } = evidence
  return { evidence: { status: 'observed', server, entryDigest, at, age, missing, ...definitions } }
}
