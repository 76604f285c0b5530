// Writes to a queue: messages for the agent and from it, acknowledgements, and idempotency keys. Each is on disk when it
// resolves.
import { type ChannelName, Digest, limits, MessageID, type Reference, ServiceError, Time } from '@gatehouse/contracts'
import { retentionMs } from '@gatehouse/kernel'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { type Attachment, keepFiles } from './copies.ts'
import { beginDelivery } from './delivery.ts'

/** `body`: digest of the whole request. */
export interface RepeatKey {
  readonly principal: string
  readonly key: string
  readonly body: Digest
}

const Repeat = v.object({ principal: v.string(), key: v.string(), body: Digest, message: MessageID, at: Time })
export type Repeat = v.InferOutput<typeof Repeat>

const columns = 'principal, key, body, message, at'
/** Keys that are older are forgotten. */
const oldest = (): string => new Date(retentionMs() - limits.idempotencyTime).toISOString()

const keepRepeat = async (tx: Transaction, { principal, key, body, message, at }: Repeat): Promise<void> => {
  await tx.run('DELETE FROM repeats WHERE at <= ?', [oldest()])
  await tx.run(`INSERT INTO repeats (${columns}) VALUES (?, ?, ?, ?, ?)`, [principal, key, body, message, at])
}

/** The message that the same request left before; `conflict` when the key was that of another request. */
export const findRepeat = async (rows: Rows, { principal, key, body }: RepeatKey): Promise<MessageID | undefined> => {
  const row = await rows.get(`SELECT ${columns} FROM repeats WHERE principal = ? AND key = ? AND at > ?`, [principal, key, oldest()])
  if (row === undefined) return undefined
  const known = v.parse(Repeat, row)
  if (known.body === body) return known.message
  throw new ServiceError('conflict', {
    detail: 'Expected the request that this Idempotency-Key came with before, got another.',
    hint: 'Take a new key for a new request.',
  })
}

/** Those that are still remembered, oldest first. */
export const liveRepeats = async (store: Store): Promise<Repeat[]> =>
  v.parse(v.array(Repeat), await store.read.all(`SELECT ${columns} FROM repeats WHERE at > ? ORDER BY at`, [oldest()]))

/** How many messages the agent has not acknowledged. */
export const waitingIn = async (rows: Rows): Promise<number> => {
  const row = await rows.get<{ waiting: number }>("SELECT count(*) AS waiting FROM messages WHERE direction = 'in' AND acked = 0")
  return row?.waiting ?? 0
}

export interface Incoming {
  readonly id: MessageID
  readonly seq: number
  readonly from: 'user' | 'system'
  readonly text: string
  readonly at: string
  /** By which the same request is known when it comes again. */
  readonly repeat?: RepeatKey | undefined
  /** Where it came from, when it came by a channel. */
  readonly origin?: Origin | undefined
}

export interface Origin {
  readonly channel: ChannelName
  readonly author: string
  readonly reference: Reference
}

export interface Stored {
  /** False when the id was there already: then the number was not used. */
  readonly stored: boolean
  /** Messages that the agent has not acknowledged. */
  readonly waiting: number
  /** The message that the same request left before. */
  readonly repeated?: MessageID | undefined
}

const insert = async (tx: Transaction, { id, seq, from, text, at, origin }: Incoming): Promise<number> => {
  const { changes } = await tx.run(
    `INSERT INTO messages (id, seq, direction, sender, text, at, author, reference) VALUES (?, ?, 'in', ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    [id, seq, from, text, at, origin?.author ?? null, origin === undefined ? null : JSON.stringify(origin.reference)],
  )
  return changes
}

/** `queue-full` for people; what the host itself has to say is few and always fits. */
export const accept = async (store: Store, message: Incoming): Promise<Stored> =>
  store.write(async (tx) => {
    const before = await waitingIn(tx)
    const repeated = message.repeat === undefined ? undefined : await findRepeat(tx, message.repeat)
    if (repeated !== undefined) return { stored: false, waiting: before, repeated }
    if (message.from === 'user' && before >= limits.queueMessages) {
      throw new ServiceError('queue-full', {
        detail: `This session has ${before} messages that its agent has not taken, the most it may have.`,
        hint: 'Wait until the agent has answered, and look at its session in `GET /v1/sessions`.',
      })
    }
    if (message.origin !== undefined) await beginDelivery(tx, message.origin.channel, message.seq)
    const changes = await insert(tx, message)
    if (message.repeat !== undefined) await keepRepeat(tx, { ...message.repeat, message: message.id, at: message.at })
    return { stored: changes > 0, waiting: before + changes }
  })

/** Keeps what is said in the conversation by the agent or by the host, each id at most once. */
export interface Outgoing {
  readonly id: MessageID
  readonly seq: number
  readonly from: 'agent' | 'system'
  readonly text: string
  readonly at: string
  readonly inReplyTo?: MessageID | undefined
  readonly attachment?: Attachment | undefined
}

/** Whether this very message is kept already; the id of somebody else's is a `conflict`. */
export const isRepeat = async (rows: Rows, { id, from }: Pick<Outgoing, 'id' | 'from'>): Promise<boolean> => {
  const row = await rows.get<{ sender: string }>('SELECT sender FROM messages WHERE id = ?', [id])
  if (row === undefined) return false
  if (row.sender === from) return true
  throw new ServiceError('conflict', {
    detail: `The id ${id} is that of another message.`,
    hint: 'Name a reply r-<id of the message it answers>-<n>.',
  })
}

const hasMessage = async (tx: Transaction, id: MessageID): Promise<boolean> =>
  (await tx.get("SELECT 1 AS found FROM messages WHERE id = ? AND direction = 'in'", [id])) !== undefined

export const reply = async (store: Store, message: Outgoing): Promise<Stored> =>
  store.write(async (tx) => {
    const waiting = await waitingIn(tx)
    if (await isRepeat(tx, message)) return { stored: false, waiting }
    if (message.inReplyTo !== undefined && !(await hasMessage(tx, message.inReplyTo))) {
      const detail = `The inbox of this session has no message ${message.inReplyTo}.`
      throw new ServiceError('invalid', { detail, errors: [{ pointer: '/inReplyTo', detail }] })
    }
    await tx.run("INSERT INTO messages (id, seq, direction, sender, text, at, in_reply_to) VALUES (?, ?, 'out', ?, ?, ?, ?)", [
      message.id,
      message.seq,
      message.from,
      message.text,
      message.at,
      message.inReplyTo ?? null,
    ])
    if (message.attachment !== undefined) await keepFiles(tx, message.seq, message.attachment)
    return { stored: true, waiting }
  })

/** Resolves to what still waits. Acknowledging twice is no error; an unknown id is `not-found`. */
export const acknowledge = async (store: Store, id: MessageID): Promise<number> =>
  store.write(async (tx) => {
    const { changes } = await tx.run("UPDATE messages SET acked = 1 WHERE id = ? AND direction = 'in'", [id])
    if (changes === 0) throw new ServiceError('not-found', { detail: `The inbox of this session has no message ${id}.` })
    return waitingIn(tx)
  })
