// The effect of a journal line on the database. The same code writes it the first time and again after a crash,
// so a projection takes everything from the line, and writing it twice is writing it once.
import type { AuditEntry, AuditStage } from '@gatehouse/contracts'
import type { Head } from '@gatehouse/journal'
import type { Store, Transaction } from '@gatehouse/store'
import { writeHead } from './head.ts'

export type Projection = (tx: Transaction, entry: AuditEntry) => Promise<void>

/** Stages without a projection leave the database as it is. */
export type Projections = Partial<Record<AuditStage, Projection>>

const find = (projections: Projections, stage: string): Projection | undefined =>
  new Map<string, Projection>(Object.entries(projections)).get(stage)

/** One transaction: the effects in the order of the lines, and the head that they lead to. */
export const project = async (
  store: Store,
  projections: Projections,
  batch: { entries: readonly AuditEntry[]; head: Head },
): Promise<void> =>
  store.write(async (tx) => {
    for (const entry of batch.entries) await find(projections, entry.stage)?.(tx, entry)
    await writeHead(tx, batch.head)
  })
