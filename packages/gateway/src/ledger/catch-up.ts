// Brings the database up to the journal: after a crash, and after a transaction that failed behind its line.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Journal, Placed } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import { readHead } from './head.ts'
import { type Projections, project, type Written } from './projection.ts'
import { withRoom } from './room.ts'

const chunk = 1_000

const written = (lines: readonly Placed[], hash: string): Written => ({
  entries: lines.map(({ entry }) => entry),
  lines,
  head: { seq: lines.at(-1)?.entry.seq ?? 0, hash },
})

const assertNext = ({ entry: { seq } }: Placed, expected: number): void => {
  if (seq === expected) return
  const detail = `lines of the journal are missing: expected line ${expected}, got line ${seq}`
  throw new ServiceError('internal', { detail, hint: 'run svcctl audit verify, then restore journal and database from one backup' })
}

/** A line's own hash stands in the line after it; the last one's is the journal's head. */
async function* batches(journal: Journal, from: number): AsyncGenerator<Written> {
  let lines: Placed[] = []
  let seq = from
  for await (const line of journal.linesAfter(from)) {
    assertNext(line, (seq += 1))
    if (lines.length >= chunk) {
      yield written(lines, line.entry.hash)
      lines = []
    }
    lines.push(line)
  }
  const head = journal.head()
  const last = lines.at(-1)?.entry
  if (last === undefined) return
  if (last.seq === head.seq) yield written(lines, head.hash)
  // A line was added meanwhile: the last one that was read waits for the next round.
  else if (lines.length > 1) yield written(lines.slice(0, -1), last.hash)
}

export interface CatchUp {
  readonly journal: Journal
  readonly store: Store
  readonly projections: Projections
  /** Runs each transaction. */
  readonly during: (entries: readonly AuditEntry[], transact: () => Promise<void>) => Promise<void>
  /** After each transaction. */
  readonly committed: (entries: readonly AuditEntry[]) => Promise<void>
}

/** Resolves with the number of lines done again. */
export const catchUp = async ({ journal, store, projections, during, committed }: CatchUp): Promise<number> => {
  let done = 0
  for (let from = await readHead(store.read); from.seq < journal.head().seq; from = await readHead(store.read)) {
    for await (const batch of batches(journal, from.seq)) {
      await during(batch.entries, () => withRoom(journal, () => project(store, projections, batch)))
      await committed(batch.entries)
      done += batch.entries.length
    }
  }
  return done
}
