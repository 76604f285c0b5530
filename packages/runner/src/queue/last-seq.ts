// The highest number in a queue; 0 when it is empty.
import type { Store } from '@gatehouse/store'

export const lastSeq = async (store: Store): Promise<number> =>
  (await store.read.get<{ last: number | null }>('SELECT max(seq) AS last FROM messages'))?.last ?? 0
