// Projections: the effect of a journal record on the database. Idempotent, and computed from the record only, so recovery runs
// the same code.
import { type AuditEntry, type AuditStage, auditStages } from '@gatehouse/contracts'
import type { Head, LocatedEntry } from '@gatehouse/journal'
import type { Store, Transaction } from '@gatehouse/store'
import { deferredEntry, type DeferredLine, deferredOf, insertDeferred, removeDeferred } from './deferred.ts'
import { indexLines, writeHead } from './line-index.ts'

export type Projection = (tx: Transaction, entry: AuditEntry) => Promise<void>

/** Projects consecutive records in one statement, because each statement is a round trip to another thread. Never deferred. */
export interface JointProjection {
  together(tx: Transaction, entries: readonly AuditEntry[]): Promise<void>
}

/** Stages without a projection leave the database as it is. */
export type Projections = Partial<Record<AuditStage, Projection | JointProjection>>

const known: ReadonlySet<string> = new Set(auditStages)
const isKnown = (stage: string): stage is AuditStage => known.has(stage)

const findProjection = (projections: Projections, { stage }: AuditEntry): Projection | JointProjection | undefined =>
  isKnown(stage) ? projections[stage] : undefined

const run = async (
  tx: Transaction,
  projection: Projection | JointProjection | undefined,
  entries: readonly AuditEntry[],
): Promise<void> => {
  if (projection === undefined) return
  if ('together' in projection) return projection.together(tx, entries)
  for (const entry of entries) {
    const late = deferredOf(entry)
    await projection(tx, late?.entry ?? entry)
    if (late !== undefined) await removeDeferred(tx, late.id)
  }
}

/** Runs consecutive records of one projection together. */
const runAll = async (tx: Transaction, projections: Projections, entries: readonly AuditEntry[]): Promise<void> => {
  let from = 0
  for (const [index, entry] of entries.entries()) {
    const projection = findProjection(projections, entry)
    const next = entries[index + 1]
    if (next !== undefined && findProjection(projections, next) === projection) continue
    await run(tx, projection, entries.slice(from, index + 1))
    from = index + 1
  }
}

export interface Written {
  readonly entries: readonly AuditEntry[]
  /** These entries and the journal's own checkpoints between them. */
  readonly lines: readonly LocatedEntry[]
  readonly head: Head
}

/** Writes the effects, the index and the new head in one transaction. */
export const project = async (store: Store, projections: Projections, { entries, lines, head }: Written): Promise<void> =>
  store.write(async (tx) => {
    await runAll(tx, projections, entries)
    await indexLines(tx, lines)
    await writeHead(tx, head)
  })

/** Writes the effects of records that are not in the journal yet, and the records. The head does not move. */
export const projectDeferred = async (store: Store, projections: Projections, lines: readonly DeferredLine[]): Promise<void> =>
  store.write(async (tx) => {
    for (const line of lines) {
      const entry = deferredEntry(line)
      await run(tx, findProjection(projections, entry), [deferredOf(entry)?.entry ?? entry])
      await insertDeferred(tx, line)
    }
  })
