// Brings the database up to date with the journal after a crash or a failed transaction.
import { type AuditEntry, limits, ServiceError } from '@gatehouse/contracts'
import { type Head, type Journal, type LocatedEntry, readHead } from '@gatehouse/journal'
import { backoff } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { withDiskSpace } from './disk-space.ts'
import { project, type Projections, type Written } from './projection.ts'

const chunk = 1_000

const written = (lines: readonly LocatedEntry[], hash: string): Written => ({
  entries: lines.map(({ entry }) => entry),
  lines,
  head: { seq: lines.at(-1)?.entry.seq ?? 0, hash },
})

const assertNext = ({ entry: { seq } }: LocatedEntry, expected: number): void => {
  if (seq === expected) return
  const detail = `journal records are missing: expected record ${expected}, got record ${seq}`
  throw new ServiceError('internal', { detail, hint: 'run svcctl audit verify, then restore journal and database from one backup' })
}

/** The hash of a record is in the next record; that of the last record is the head of the journal. */
async function* batches(journal: Journal, from: number): AsyncGenerator<Written> {
  let lines: LocatedEntry[] = []
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
  // A record was added in the meantime, so the last one is left for the next round.
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

/** Applies missing records. Resolves with their number. */
export const catchUp = async ({ journal, store, projections, during, committed }: CatchUp): Promise<number> => {
  let done = 0
  for (let from = await readHead(store.read); from.seq < journal.head().seq; from = await readHead(store.read)) {
    for await (const batch of batches(journal, from.seq)) {
      await during(batch.entries, () => withDiskSpace(journal, () => project(store, projections, batch)))
      await committed(batch.entries)
      done += batch.entries.length
    }
  }
  return done
}

/** Retries a failed journal or database until it works again. */
export interface Recovery {
  /** Schedules a retry. */
  wake(): void
  close(): void
}

/** @param attempt resolves with true if there is no fault */
export const createRecovery = (attempt: () => Promise<boolean>): Recovery => {
  const delays = backoff({ first: limits.auditRetryFirst, most: limits.auditRetryMost })
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const run = async (): Promise<void> => {
    const isHealthy = await attempt().catch(() => false)
    timer = undefined
    if (isHealthy) delays.reset()
    else wake()
  }
  const wake = (): void => {
    if (closed) return
    timer ??= setTimeout(() => void run(), delays.next()).unref()
  }
  return {
    wake,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

const describeReplaced = (seq: number): string => `record ${seq} of the journal is not the one that the database has`

/** The reason why journal and database do not match; undefined if they match. */
export const compare = async (journal: Journal, seen: Head): Promise<string | undefined> => {
  const head = journal.head()
  if (head.seq < seen.seq) return `the journal ends at record ${head.seq}, but the database has record ${seen.seq}`
  if (head.seq === seen.seq) return head.hash === seen.hash ? undefined : describeReplaced(seen.seq)
  for await (const next of journal.entriesAfter(seen.seq)) {
    return next.seq === seen.seq + 1 && next.hash === seen.hash ? undefined : describeReplaced(seen.seq)
  }
  return `the journal should have ${head.seq} records, but ends at record ${seen.seq}`
}
