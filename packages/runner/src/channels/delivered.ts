// Keeps what became of a message that a channel was given, and hands it the next one of that conversation.
import { type Params, type Result, type runnerChannels, ServiceError } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import { bury, noteDelivered, noteParts, type Passed } from '../queue/delivery.ts'
import type { Context } from '../sessions/context.ts'
import { giveBack } from '../sessions/give-back.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'
import { nextOf } from './outbox.ts'

type Edge = typeof runnerChannels

export const findSession = ({ sessions }: Context, { session: id }: Pick<Params<Edge, 'delivered'>, 'session'>): Session => {
  const session = sessions.get(id)
  if (session?.hasQueue === true) return session
  throw new ServiceError('not-found', { detail: `there is no session ${id}` })
}

const settle = async (context: Context, session: Session, passed: Passed): Promise<Result<Edge, 'delivered'>> => {
  const { isFreed, ...counted } = passed
  if (session.delivery !== undefined) Object.assign(session.delivery, counted)
  // What copies took; nobody waits for it.
  if (isFreed)
    giveBack(context, session).catch((error: unknown) => context.log.warn('room of copies not given back', { session: session.id, error }))
  const next = await nextOf(context, session)
  return next === undefined ? {} : { next }
}

export const delivered = async (context: Context, params: Params<Edge, 'delivered'>): Promise<Result<Edge, 'delivered'>> => {
  const session = findSession(context, params)
  const { seq, parts } = params
  if (parts === undefined) return settle(context, session, await withQueue(context, session, (store) => noteDelivered(store, seq)))
  await withQueue(context, session, (store) => noteParts(store, seq, parts))
  return {}
}

export const buried = async (context: Context, params: Params<Edge, 'buried'>): Promise<Result<Edge, 'buried'>> => {
  const session = findSession(context, params)
  const { seq, reason } = params
  const { letter, ...passed } = await withQueue(context, session, (store) => bury(store, { seq, reason, at: wallTime() }))
  const { id, agentGroupID, conversationID: conversationId, delivery } = session
  if (letter !== undefined && delivery !== undefined)
    context.deadLetters.keep(id, { ...letter, channel: delivery.channel, agentGroupID, conversationId })
  return settle(context, session, passed)
}
