// Puts what the agent or the host says into the conversation.
import type { Attached } from '../queue/copies.ts'
import { type Outgoing, reply } from '../queue/reply.ts'
import type { Context } from './context.ts'
import { checkHeld } from './held.ts'
import { number } from './number.ts'
import type { Session } from './session.ts'

export interface Word extends Omit<Outgoing, 'seq' | 'at' | 'attachment'> {
  readonly files?: readonly Attached[] | undefined
}

const count = (context: Context, session: Session, { stored, bytes }: { readonly stored: boolean; readonly bytes: number }): void => {
  const { delivery, lastSeq } = session
  if (delivery === undefined) {
    if (stored) context.metrics.counter('deliveries_total').inc({ channel: 'console', outcome: 'ok' })
    return
  }
  // Also where it was said before: the first word may have been kept without anybody having heard so.
  delivery.said = Math.max(delivery.said, lastSeq)
  if (stored) {
    delivery.waiting += 1
    delivery.held += bytes
  }
  context.outbox.emit('message')
}

/** False when the same id was said before. */
export const say = async (context: Context, session: Session, { files = [], ...message }: Word): Promise<boolean> => {
  const at = new Date().toISOString()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const { stored } = await number(context, session, async (store, seq) => {
    // Asked in the turn of the group, in which a channel may have brought its first message just before.
    const areCopied = session.delivery !== undefined
    if (areCopied && files.length > 0) await checkHeld(context, session, bytes)
    return reply(store, { ...message, seq, at, ...(files.length > 0 && { attachment: { files, areCopied } }) })
  })
  count(context, session, { stored, bytes })
  return stored
}
