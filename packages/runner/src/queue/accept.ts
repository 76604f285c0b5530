// Takes a message for the agent. It is on disk when this resolves.
import { type ChannelName, limits, type MessageID, type Reference, ServiceError } from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import { beginDelivery } from './delivery.ts'
import { findRepeat, keepRepeat, type RepeatKey } from './repeat.ts'
import { waitingIn } from './waiting.ts'

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
