// Index of the journal: the position of each record and the columns that it is searched by, written in the transaction of its
// effect.
import { type Head, type Journal, type LocatedEntry, readHead } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import { withDiskSpace } from './disk-space.ts'

/** Stores the number of the last journal record that the database holds. */
export const writeHead = async (tx: Transaction, head: Head): Promise<void> => {
  await tx.run(
    'INSERT INTO head (one, seq, hash) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    [head.seq, head.hash],
  )
}

const toRow = ({ entry, file, start, length }: LocatedEntry): unknown[] => [
  entry.seq,
  entry.time,
  entry.stage,
  entry.principal,
  entry.changeID ?? null,
  entry.kind ?? null,
  entry.agentGroupID ?? null,
  file,
  start,
  length,
]

const columns = 'seq, time, stage, principal, change_id, kind, agent_group_id, file, start, length'
const values = columns.split(', ').map((_column, index) => `value ->> ${index}`)

/** Uses one statement, because each statement is a round trip to another thread. */
export const indexLines = async (tx: Transaction, lines: readonly LocatedEntry[]): Promise<void> => {
  if (lines.length === 0) return
  await tx.run(`INSERT OR REPLACE INTO lines (${columns}) SELECT ${values.join(', ')} FROM json_each(?)`, [
    JSON.stringify(lines.map(toRow)),
  ])
}

/** Number of the last record in the index, which has all records up to it. */
export const lastIndexed = async (rows: Rows): Promise<number> =>
  (await rows.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM lines'))?.seq ?? 0

const chunk = 2_000

export interface BackfillDeps {
  readonly journal: Journal
  readonly store: Store
  readonly log: Logger
}

/** Indexes records that were stored before the index existed, oldest first, so it can be interrupted at any point. */
export const backfill = async ({ journal, store, log }: BackfillDeps): Promise<void> => {
  const { seq: head } = await readHead(store.read)
  const from = await lastIndexed(store.read)
  if (from >= head) return
  log.info('indexing journal records', { from: from + 1, to: head })
  let lines: LocatedEntry[] = []
  const flush = async (): Promise<void> => {
    const batch = lines
    lines = []
    await withDiskSpace(journal, () => store.write((tx) => indexLines(tx, batch)))
  }
  for await (const line of journal.linesAfter(from)) {
    if (line.entry.seq > head) break
    lines.push(line)
    if (lines.length >= chunk) await flush()
  }
  await flush()
}
