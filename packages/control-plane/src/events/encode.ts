// News as server-sent events, written once for all readers.
import { type News, visibleJson } from '@gatehouse/contracts'

export interface Encoded {
  readonly news: News
  readonly chunk: Uint8Array
}

export interface Batch {
  readonly items: readonly Encoded[]
  /** All of them in one piece. */
  readonly whole: Uint8Array
}

const bytes = (text: string): Uint8Array => Buffer.from(text)

/** JSON has no line ends of its own, and a stage is a word of the frozen list. */
const encode = (news: News): Encoded => ({
  news,
  chunk: bytes(`id: ${news.seq}\nevent: ${news.stage}\ndata: ${visibleJson(JSON.stringify(news))}\n\n`),
})

export const encodeBatch = (list: readonly News[]): Batch => {
  const items = list.map(encode)
  return { items, whole: Buffer.concat(items.map(({ chunk }) => chunk)) }
}

/** Sets the id under which a reader resumes that was not told anything yet. */
export const markChunk = (seq: number): Uint8Array => bytes(`id: ${seq}\n\n`)

/** What passed in between is in the journal, and too much for a stream. */
export const gapChunk = (after: number, head: number): Uint8Array =>
  bytes(`id: ${head}\nevent: gap\ndata: ${JSON.stringify({ after, head, hint: 'read GET /v1/audit' })}\n\n`)

export const pingChunk = bytes(': ping\n\n')
