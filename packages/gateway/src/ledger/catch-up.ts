// Brings the database up to the journal: after a crash, and after a transaction that failed behind its line.
import type { AuditEntry } from '@gatehouse/contracts'
import type { Head, Journal } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import { readHead } from './head.ts'
import { type Projections, project } from './projection.ts'

const chunk = 100

interface Batch {
  readonly entries: AuditEntry[]
  readonly head: Head
}

/** A line's own hash stands in the line after it; the last one's is the journal's head. */
async function* batches(journal: Journal, from: number): AsyncGenerator<Batch> {
  let entries: AuditEntry[] = []
  for await (const entry of journal.entriesAfter(from)) {
    const last = entries.at(-1)
    if (last !== undefined && entries.length >= chunk) {
      yield { entries, head: { seq: last.seq, hash: entry.hash } }
      entries = []
    }
    entries.push(entry)
  }
  const last = entries.at(-1)
  const head = journal.head()
  if (last === undefined) return
  if (last.seq === head.seq) yield { entries, head }
  else yield* shorter(entries)
}

/** A line was added meanwhile: the last one that was read waits for the next round. */
function* shorter(entries: AuditEntry[]): Generator<Batch> {
  const next = entries.at(-1)
  const last = entries.at(-2)
  if (next !== undefined && last !== undefined) yield { entries: entries.slice(0, -1), head: { seq: last.seq, hash: next.hash } }
}

export interface CatchUp {
  readonly journal: Journal
  readonly store: Store
  readonly projections: Projections
  /** After each transaction. */
  readonly committed: (entries: readonly AuditEntry[]) => Promise<void>
}

/** Resolves with the number of lines done again. */
export const catchUp = async ({ journal, store, projections, committed }: CatchUp): Promise<number> => {
  let done = 0
  for (let from = await readHead(store.read); from.seq < journal.head().seq; from = await readHead(store.read)) {
    for await (const batch of batches(journal, from.seq)) {
      await project(store, projections, batch)
      await committed(batch.entries)
      done += batch.entries.length
    }
  }
  return done
}
