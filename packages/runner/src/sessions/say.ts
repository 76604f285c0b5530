// Puts what the agent or the host says into the conversation.
import { randomUUID } from 'node:crypto'
import { isServiceError, limits, MessageID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Attached } from '../queue/copies.ts'
import { isRepeat, type Outgoing, reply } from '../queue/reply.ts'
import type { Context } from './context.ts'
import { checkHeld } from './held.ts'
import { number } from './number.ts'
import { checkDisk, checkShare } from './queue-room.ts'
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

/** Whoever talks to an agent that falls silent learns why; not waited for, since its turn comes after this one. */
const tellMute = (context: Context, session: Session): void => {
  if (session.muteTold) return
  session.muteTold = true
  const most = Math.round(limits.queueBytesByGroup / 1024 ** 2)
  const text = `The agent can say nothing more: the conversations of its group take ${most} MiB on the disk of the unit, the most they may. It goes on when old messages are forgotten, or closed sessions are purged with svcctl session purge.`
  say(context, session, { id: v.parse(MessageID, `s-${randomUUID()}`), from: 'system', text }).catch((error: unknown) =>
    context.log.warn('the silence of an agent not told', { session: session.id, error }),
  )
}

/** What is kept already is answered as ever. */
const admit = async (
  context: Context,
  session: Session,
  { store, message }: { readonly store: Store; readonly message: Pick<Outgoing, 'id' | 'from'> },
): Promise<void> => {
  try {
    await checkDisk(context)
    checkShare(context, session.agentGroupID)
    session.muteTold = false
  } catch (error) {
    if (await isRepeat(store.read, message)) return
    if (isServiceError(error) && error.code === 'queue-full') tellMute(context, session)
    throw error
  }
}

/** False when the same id was said before. */
export const say = async (context: Context, session: Session, { files = [], ...message }: Word): Promise<boolean> => {
  const at = wallTime()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const { stored } = await number(context, session, async (store, seq) => {
    // Asked in the turn of the group, in which a channel may have brought its first message just before.
    const areCopied = session.delivery !== undefined
    if (areCopied && files.length > 0) await checkHeld(context, session, bytes)
    if (message.from === 'agent') await admit(context, session, { store, message })
    return reply(store, { ...message, seq, at, ...(files.length > 0 && { attachment: { files, areCopied } }) })
  })
  count(context, session, { stored, bytes })
  return stored
}
