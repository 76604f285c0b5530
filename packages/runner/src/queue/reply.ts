// Keeps what is said in the conversation by the agent or by the host, each id at most once.
import { type MessageID, ServiceError } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import type { Stored } from './accept.ts'
import { type Attachment, keepFiles } from './copies.ts'
import { waitingIn } from './waiting.ts'

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
