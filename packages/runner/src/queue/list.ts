// What was said in one conversation, in order. Reading never removes.
import { ChatMessage } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'

const Row = v.pipe(
  v.object({
    ...v.omit(ChatMessage, ['conversationId', 'inReplyTo', 'author']).entries,
    inReplyTo: v.nullable(ChatMessage.entries.inReplyTo.wrapped),
    author: v.nullable(v.string()),
  }),
  v.transform(({ inReplyTo, author, ...row }) => ({
    ...row,
    ...(inReplyTo !== null && { inReplyTo }),
    ...(author !== null && { author }),
  })),
)
const Rows = v.array(Row)
export type Said = v.InferOutput<typeof Row>

const columns = 'id, seq, sender AS "from", text, at, in_reply_to AS inReplyTo, author'

export interface Page {
  readonly limit: number
  /** Only what has a higher number, oldest first. Without it: the newest. */
  readonly after?: number | undefined
}

export const list = async (store: Store, { limit, after }: Page): Promise<Said[]> => {
  if (after !== undefined) {
    return v.parse(Rows, await store.read.all(`SELECT ${columns} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`, [after, limit]))
  }
  return v.parse(Rows, await store.read.all(`SELECT ${columns} FROM messages ORDER BY seq DESC LIMIT ?`, [limit])).toReversed()
}
