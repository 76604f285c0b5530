// Which journal line the database holds last.
import type { Head } from '@gatehouse/journal'
import type { Rows, Transaction } from '@gatehouse/store'

/** Before the first line. */
const genesis: Head = { seq: 0, hash: '0'.repeat(64) }

export const readHead = async (rows: Rows): Promise<Head> => (await rows.get<Head>('SELECT seq, hash FROM head WHERE one = 1')) ?? genesis

export const writeHead = async (tx: Transaction, head: Head): Promise<void> => {
  await tx.run(
    'INSERT INTO head (one, seq, hash) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    [head.seq, head.hash],
  )
}
