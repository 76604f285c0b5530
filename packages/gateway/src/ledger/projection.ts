// Projections: the effect of a journal record on the database. Idempotent, and computed from the record only, so recovery runs
// the same code.
import { type AuditEntry, type AuditStage, auditStages } from '@gatehouse/contracts'
import type { Head, Placed } from '@gatehouse/journal'
import type { Store, Transaction } from '@gatehouse/store'
import { deferredEntry, type DeferredLine, deferredOf, insertDeferred, removeDeferred } from './deferred.ts'
import { indexLines, writeHead } from './line-index.ts'

export type Projection = (tx: Transaction, entry: AuditEntry) => Promise<void>

/** Takes lines that follow each other in one statement, since each one is a journey to another thread. None of them is ever late. */
export interface JointProjection {
  together(tx: Transaction, entries: readonly AuditEntry[]): Promise<void>
}

/** Stages without a projection leave the database as it is. */
export type Projections = Partial<Record<AuditStage, Projection | JointProjection>>

const known: ReadonlySet<string> = new Set(auditStages)
const isKnown = (stage: string): stage is AuditStage => known.has(stage)

const projectionOf = (projections: Projections, { stage }: AuditEntry): Projection | JointProjection | undefined =>
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

/** Lines that one projection takes, as long as they follow each other. */
const runAll = async (tx: Transaction, projections: Projections, entries: readonly AuditEntry[]): Promise<void> => {
  let from = 0
  for (const [index, entry] of entries.entries()) {
    const projection = projectionOf(projections, entry)
    const next = entries[index + 1]
    if (next !== undefined && projectionOf(projections, next) === projection) continue
    await run(tx, projection, entries.slice(from, index + 1))
    from = index + 1
  }
}

export interface Written {
  readonly entries: readonly AuditEntry[]
  /** These entries and those of the journal's own between them and the last ones. */
  readonly lines: readonly Placed[]
  readonly head: Head
}

/** One transaction: the effects in the order of the lines, where they stand, and the head that they lead to. */
export const project = async (store: Store, projections: Projections, { entries, lines, head }: Written): Promise<void> =>
  store.write(async (tx) => {
    await runAll(tx, projections, entries)
    await indexLines(tx, lines)
    await writeHead(tx, head)
  })

/** The effects of lines that are not in the journal yet, and the lines themselves; the head stays where it is. */
export const projectDeferred = async (store: Store, projections: Projections, lines: readonly DeferredLine[]): Promise<void> =>
  store.write(async (tx) => {
    for (const line of lines) {
      const entry = deferredEntry(line)
      await run(tx, projectionOf(projections, entry), [deferredOf(entry)?.entry ?? entry])
      await insertDeferred(tx, line)
    }
  })
