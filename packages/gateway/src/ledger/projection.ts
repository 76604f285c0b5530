// The effect of a journal line on the database. The same code writes it the first time and again after a crash,
// so a projection takes everything from the line, and writing it twice is writing it once.
import type { AuditEntry, AuditStage } from '@gatehouse/contracts'
import type { Head, Placed } from '@gatehouse/journal'
import type { Store, Transaction } from '@gatehouse/store'
import { writeHead } from './head.ts'
import { indexLines } from './line-index.ts'
import { insertLate, type LateLine, lateEntry, lateOf, removeLate } from './late.ts'

export type Projection = (tx: Transaction, entry: AuditEntry) => Promise<void>

/** Stages without a projection leave the database as it is. */
export type Projections = Partial<Record<AuditStage, Projection>>

const find = (projections: Projections, stage: string): Projection | undefined =>
  new Map<string, Projection>(Object.entries(projections)).get(stage)

const projectOne = async (tx: Transaction, projections: Projections, entry: AuditEntry): Promise<void> => {
  const late = lateOf(entry)
  await find(projections, entry.stage)?.(tx, late?.entry ?? entry)
  if (late !== undefined) await removeLate(tx, late.id)
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
    for (const entry of entries) await projectOne(tx, projections, entry)
    await indexLines(tx, lines)
    await writeHead(tx, head)
  })

/** The effects of lines that are not in the journal yet, and the lines themselves; the head stays where it is. */
export const projectLate = async (store: Store, projections: Projections, lines: readonly LateLine[]): Promise<void> =>
  store.write(async (tx) => {
    for (const line of lines) {
      const entry = lateEntry(line)
      await find(projections, entry.stage)?.(tx, lateOf(entry)?.entry ?? entry)
      await insertLate(tx, line)
    }
  })
