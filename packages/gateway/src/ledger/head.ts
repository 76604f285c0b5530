// Which journal line the database holds last.
import type { Head } from '@gatehouse/journal'
import type { Transaction } from '@gatehouse/store'

export { readHead } from '@gatehouse/journal'

export const writeHead = async (tx: Transaction, head: Head): Promise<void> => {
  await tx.run(
    'INSERT INTO head (one, seq, hash) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    [head.seq, head.hash],
  )
}
