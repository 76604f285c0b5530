// Puts what the agent or the host says into the conversation.
import type { Outgoing } from '../queue/reply.ts'
import { reply } from '../queue/reply.ts'
import type { Context } from './context.ts'
import { number } from './number.ts'
import type { Session } from './session.ts'

/** False when the same id was said before. */
export const say = async (context: Context, session: Session, message: Omit<Outgoing, 'seq' | 'at'>): Promise<boolean> => {
  const at = new Date().toISOString()
  const { stored } = await number(context, session, (store, seq) => reply(store, { ...message, seq, at }))
  if (session.delivery !== undefined) {
    // Also where it was said before: the first word may have been kept without anybody having heard so.
    session.delivery.said = Math.max(session.delivery.said, session.lastSeq)
    if (stored) session.delivery.waiting += 1
    context.outbox.emit('message')
  } else if (stored) context.metrics.counter('deliveries_total').inc({ channel: 'console', outcome: 'ok' })
  return stored
}
