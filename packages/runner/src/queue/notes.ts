// Small records in a queue: changes that the agent requested, rollouts to report, its last sequence number and size.
import { ChangeID } from '@gatehouse/contracts'
import type { Rows, Store } from '@gatehouse/store'
import * as v from 'valibot'

const Request = v.object({ id: ChangeID, kind: v.string() })
export type Request = v.InferOutput<typeof Request>

export const noteRequest = async (store: Store, { id, kind }: Request): Promise<void> => {
  await store.write((tx) => tx.run('INSERT INTO requests (id, kind) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', [id, kind]))
}

export const recordReported = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('UPDATE requests SET told = 1 WHERE id = ?', [id]))
}

export const undecidedRequests = async (store: Store): Promise<Request[]> =>
  v.parse(v.array(Request), await store.read.all('SELECT id, kind FROM requests WHERE told = 0 ORDER BY id'))

/** Applied changes whose end in this session the gateway has not been told, kept over the runner's own death. */
export const storeRollout = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('INSERT INTO owed (change_id) VALUES (?) ON CONFLICT (change_id) DO NOTHING', [id]))
}

export const removeRollout = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('DELETE FROM owed WHERE change_id = ?', [id]))
}

export const pendingRolloutsIn = async (store: Store): Promise<ChangeID[]> => {
  const rows = v.parse(v.array(v.object({ id: ChangeID })), await store.read.all('SELECT change_id AS id FROM owed ORDER BY change_id'))
  return rows.map(({ id }) => id)
}

/** The highest number in a queue; 0 when it is empty. */
export const lastSeq = async (store: Store): Promise<number> =>
  (await store.read.get<{ last: number | null }>('SELECT max(seq) AS last FROM messages'))?.last ?? 0

/** What a queue takes of the disk, room of removed messages apart. */
export const bytesIn = async (rows: Rows): Promise<number> => {
  const row = await rows.get<{ bytes: number }>(
    `SELECT (pages.page_count - unused.freelist_count) * size.page_size AS bytes
       FROM pragma_page_count AS pages, pragma_freelist_count AS unused, pragma_page_size AS size`,
  )
  return row?.bytes ?? 0
}
