// What the agent has not acknowledged, oldest first, no more than one answer should carry.
import { InboxMessage, limits } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { withinBytes } from './within-bytes.ts'

const Messages = v.array(
  v.pipe(
    v.object({ ...InboxMessage.entries, author: v.nullable(v.string()) }),
    v.transform(({ author, ...message }): InboxMessage => (author === null ? message : { ...message, author })),
  ),
)

export const deliver = async (store: Store): Promise<InboxMessage[]> => {
  const rows = await store.read.all(
    `SELECT id, seq, sender AS "from", text, at, author FROM messages WHERE direction = 'in' AND acked = 0 ORDER BY seq LIMIT ?`,
    [limits.pageSize],
  )
  return withinBytes(v.parse(Messages, rows), limits.apiBody)
}
