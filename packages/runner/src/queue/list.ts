// Reads messages of a queue in order. Reading never removes.
import { ChatMessage, InboxMessage, limits } from '@gatehouse/contracts'
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

/** Cuts a list of messages where its JSON would grow beyond a size. The first always passes. */
export const withinBytes = <M extends { readonly text: string }>(messages: readonly M[], most: number): M[] => {
  let bytes = 0
  const end = messages.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message))
    return index > 0 && bytes > most
  })
  return end === -1 ? [...messages] : messages.slice(0, end)
}

/** What the agent has not acknowledged, oldest first, no more than one answer should carry. */
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
