// The delivery progress of a conversation's channel, stored beside the messages.
import { Channel, type ChannelName, Delivery, MessageID, Time } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { dropCopies, filesIn } from './copies.ts'

/** What the runner keeps in mind of it; the numbers only grow. */
export interface Progress {
  readonly channel: ChannelName
  /** The channel has taken what has no higher number. */
  taken: number
  /** Nothing that waits for the channel has a higher number. */
  said: number
  /** Messages that the channel has not taken, and those that it never will: so that nobody opens a queue to count them. */
  waiting: number
  dead: number
  /** Bytes of the files of messages that wait. */
  held: number
}

/** Of a conversation that begins. */
export const newProgress = (channel: ChannelName): Progress => ({ channel, taken: 0, said: 0, waiting: 0, dead: 0, held: 0 })

const Counted = v.object({ waiting: v.number(), dead: v.number(), held: v.number() })
export type Counted = v.InferOutput<typeof Counted>

export const countDeliveries = async (rows: Rows): Promise<Counted> => {
  const row = await rows.get(
    `SELECT (SELECT count(*) FROM messages WHERE direction = 'out' AND seq > (SELECT seq FROM delivery)) AS waiting,
       (SELECT count(*) FROM dead_letters) AS dead,
       (SELECT coalesce(sum(size), 0) FROM sent_files WHERE seq > (SELECT seq FROM delivery)) AS held`,
  )
  return v.parse(Counted, row)
}

/** Messages from the first one on are delivered through the channel that opened the conversation. */
export const beginDelivery = async (tx: Transaction, channel: string, seq: number): Promise<void> => {
  await tx.run('INSERT INTO delivery (one, channel, seq) VALUES (1, ?, ?) ON CONFLICT (one) DO NOTHING', [channel, seq])
}

const Found = v.object({ channel: Channel, taken: v.number(), said: v.number() })

/** Undefined for a conversation of no channel. */
export const progressIn = async (rows: Rows): Promise<Progress | undefined> => {
  const row = await rows.get(
    `SELECT channel, seq AS taken, coalesce((SELECT max(seq) FROM messages WHERE direction = 'out'), 0) AS said FROM delivery`,
  )
  return row === undefined ? undefined : { ...v.parse(Found, row), ...(await countDeliveries(rows)) }
}

const Row = v.object({
  ...v.pick(Delivery, ['channel', 'id', 'seq', 'text', 'at', 'parts']).entries,
  reference: v.nullable(v.pipe(v.string(), v.parseJson(), Delivery.entries.reference)),
})
export type Undelivered = Omit<v.InferOutput<typeof Row>, 'reference'> & Pick<Delivery, 'reference' | 'files'>

/** The oldest that waits. What answers no message is sent to where the last one before it came from. */
export const nextUndelivered = async (rows: Rows): Promise<Undelivered | undefined> => {
  const row = await rows.get(
    `SELECT delivery.channel, m.id, m.seq, m.text, m.at, delivery.parts,
       coalesce((SELECT reference FROM messages WHERE id = m.in_reply_to),
         (SELECT reference FROM messages WHERE reference IS NOT NULL AND seq < m.seq ORDER BY seq DESC LIMIT 1)) AS reference
     FROM delivery JOIN messages m ON m.direction = 'out' AND m.seq > delivery.seq ORDER BY m.seq LIMIT 1`,
  )
  if (row === undefined) return undefined
  const { reference, ...message } = v.parse(Row, row)
  const files = (await filesIn(rows, { first: message.seq, last: message.seq })).get(message.seq) ?? []
  return { ...message, files, reference: reference ?? {} }
}

const Referred = v.object({ reference: v.pipe(v.string(), v.parseJson(), Delivery.entries.reference) })

/** Of the last message that came by a channel. */
export const newestReference = async (rows: Rows): Promise<Delivery['reference'] | undefined> => {
  const row = await rows.get('SELECT reference FROM messages WHERE reference IS NOT NULL ORDER BY seq DESC LIMIT 1')
  return row === undefined ? undefined : v.parse(Referred, row).reference
}

/** An earlier word that comes late changes nothing. */
export const noteParts = (store: Store, seq: number, parts: number): Promise<void> =>
  store.write(async (tx) => {
    await tx.run('UPDATE delivery SET parts = ? WHERE seq < ? AND parts < ?', [parts, seq, parts])
  })

/** What is left from then on; `isFreed`: there is room in the file that nothing needs now. */
export interface Passed extends Counted {
  readonly isFreed: boolean
}

const pass = async (tx: Transaction, seq: number): Promise<Passed> => {
  await tx.run('UPDATE delivery SET seq = ?, parts = 0 WHERE seq < ?', [seq, seq])
  const isFreed = await dropCopies(tx, seq)
  return { ...(await countDeliveries(tx)), isFreed }
}

export const noteDelivered = (store: Store, seq: number): Promise<Passed> => store.write((tx) => pass(tx, seq))

export interface DeadLetterRecord {
  readonly seq: number
  readonly reason: string
  readonly at: string
}

const DeadLetterRow = v.object({ messageId: MessageID, reason: v.string(), at: Time })
export type DeadLetterRow = v.InferOutput<typeof DeadLetterRow>

const letterColumns = 'id AS messageId, reason, at'

/** With the letter as it is kept: that of the first burial, which may be another's. */
export const deadLetter = (
  store: Store,
  { seq, reason, at }: DeadLetterRecord,
): Promise<Passed & { readonly letter: DeadLetterRow | undefined }> =>
  store.write(async (tx) => {
    await tx.run(
      `INSERT INTO dead_letters (id, seq, reason, at) SELECT id, seq, ?, ? FROM messages WHERE seq = ? AND direction = 'out'
         ON CONFLICT (id) DO NOTHING`,
      [reason, at, seq],
    )
    const passed = await pass(tx, seq)
    const row = await tx.get(`SELECT ${letterColumns} FROM dead_letters WHERE seq = ?`, [seq])
    return { ...passed, letter: row === undefined ? undefined : v.parse(DeadLetterRow, row) }
  })

/** Newest first. */
export const deadLetters = async (rows: Rows, limit: number): Promise<DeadLetterRow[]> =>
  v.parse(v.array(DeadLetterRow), await rows.all(`SELECT ${letterColumns} FROM dead_letters ORDER BY at DESC, seq DESC LIMIT ?`, [limit]))
