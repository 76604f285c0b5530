// What was said in one conversation, in order. Reading never removes.
import { ChatMessage } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { filesIn } from './copies.ts'

const Row = v.pipe(
  v.object({
    ...v.omit(ChatMessage, ['conversationId', 'inReplyTo', 'author', 'files']).entries,
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
export type Said = v.InferOutput<typeof Row> & Pick<ChatMessage, 'files'>

const columns = 'id, seq, sender AS "from", text, at, in_reply_to AS inReplyTo, author'

export interface Page {
  readonly limit: number
  /** Only what has a higher number, oldest first. Without it: the newest. */
  readonly after?: number | undefined
}

const readPage = async ({ read }: Store, { limit, after }: Page): Promise<v.InferOutput<typeof Rows>> => {
  if (after !== undefined)
    return v.parse(Rows, await read.all(`SELECT ${columns} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`, [after, limit]))
  return v.parse(Rows, await read.all(`SELECT ${columns} FROM messages ORDER BY seq DESC LIMIT ?`, [limit])).toReversed()
}

export const list = async (store: Store, page: Page): Promise<Said[]> => {
  const said = await readPage(store, page)
  const files = await filesIn(store.read, { first: said[0]?.seq ?? 0, last: said.at(-1)?.seq ?? 0 })
  return said.map((message) => {
    const own = files.get(message.seq)
    return own === undefined ? message : { ...message, files: own }
  })
}
