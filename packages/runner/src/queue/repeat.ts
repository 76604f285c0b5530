// Idempotency keys of people: the message that each one left, for a day, in the transaction that kept the message.
import { Digest, limits, MessageID, ServiceError, Time } from '@gatehouse/contracts'
import { retentionMs } from '@gatehouse/kernel'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'

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

export const keepRepeat = async (tx: Transaction, { principal, key, body, message, at }: Repeat): Promise<void> => {
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
