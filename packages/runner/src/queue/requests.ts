// The changes that this session's agent asked for and whose decision it has not been told yet.
import { ChangeID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'

const Request = v.object({ id: ChangeID, kind: v.string() })
export type Request = v.InferOutput<typeof Request>

export const noteRequest = async (store: Store, { id, kind }: Request): Promise<void> => {
  await store.write((tx) => tx.run('INSERT INTO requests (id, kind) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', [id, kind]))
}

export const noteTold = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('UPDATE requests SET told = 1 WHERE id = ?', [id]))
}

export const untoldRequests = async (store: Store): Promise<Request[]> =>
  v.parse(v.array(Request), await store.read.all('SELECT id, kind FROM requests WHERE told = 0 ORDER BY id'))
