// Index of the journal: the position of each record and the columns that it is searched by, written in the transaction of its
// effect.
import { type Head, type Journal, type Placed, readHead } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import { withDiskSpace } from './disk-space.ts'

/** Which journal line the database holds last. */
export const writeHead = async (tx: Transaction, head: Head): Promise<void> => {
  await tx.run(
    'INSERT INTO head (one, seq, hash) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    [head.seq, head.hash],
  )
}

const rowOf = ({ entry, file, start, length }: Placed): unknown[] => [
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

/** One statement for all of them, since each one is a journey to another thread. */
export const indexLines = async (tx: Transaction, lines: readonly Placed[]): Promise<void> => {
  if (lines.length === 0) return
  await tx.run(`INSERT OR REPLACE INTO lines (${columns}) SELECT ${values.join(', ')} FROM json_each(?)`, [
    JSON.stringify(lines.map(rowOf)),
  ])
}

/** Number of the last line that is in the index; those before it are, too. */
export const lastIndexed = async (rows: Rows): Promise<number> =>
  (await rows.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM lines'))?.seq ?? 0

const chunk = 2_000

export interface BackfillDeps {
  readonly journal: Journal
  readonly store: Store
  readonly log: Logger
}

/** Lines that the database took in before it had an index, oldest first, so that it may be ended and begun again anywhere. */
export const backfill = async ({ journal, store, log }: BackfillDeps): Promise<void> => {
  const { seq: head } = await readHead(store.read)
  const from = await lastIndexed(store.read)
  if (from >= head) return
  log.info('lines of the journal are indexed', { from: from + 1, to: head })
  let lines: Placed[] = []
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
