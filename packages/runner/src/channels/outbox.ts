// Undelivered messages of agents for channels, oldest first in each conversation, with their files, outcomes and dead
// letters.
import { type ChannelName, type Delivery, limits, type Params, type Result, type runnerChannels, ServiceError } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import { UnreadableQueue } from '../errors.ts'
import { readPiece } from '../queue/copies.ts'
import { deadLetter, newestReference, nextUndelivered, noteDelivered, noteParts, type Passed } from '../queue/delivery.ts'
import { withinBytes } from '../queue/list.ts'
import type { Session } from '../session/session.ts'
import { compactQueue, withQueue } from '../sessions/queue-access.ts'
import type { Context } from '../state/context.ts'

type Edge = typeof runnerChannels

const most = limits.rpcFrame / 2

const nextOf = async (context: Context, session: Session): Promise<Delivery | undefined> => {
  const said = session.delivery?.said ?? 0
  const found = await withQueue(context, session, (store) => nextUndelivered(store.read))
  if (found === undefined) {
    const { delivery } = session
    if (delivery !== undefined) {
      // Messages posted in the meantime are counted already.
      if (delivery.said === said) Object.assign(delivery, { waiting: 0, held: 0 })
      delivery.taken = Math.max(delivery.taken, said)
    }
    return undefined
  }
  const { id, agentGroupID, conversationID } = session
  return { ...found, session: id, agentGroupID, conversationId: conversationID }
}

/** An unreadable queue does not affect others. */
const readableNext = async (context: Context, session: Session): Promise<Delivery | undefined> => {
  try {
    return await nextOf(context, session)
  } catch (error) {
    if (error instanceof UnreadableQueue) return undefined
    throw error
  }
}

const sessionsBy = ({ sessions }: Context, channels: readonly ChannelName[]): Session[] =>
  [...sessions.values()].filter(({ delivery }) => delivery !== undefined && channels.includes(delivery.channel))

export const outbox = async (context: Context, { channels, limit, skip }: Params<Edge, 'outbox'>): Promise<Result<Edge, 'outbox'>> => {
  const skipped = new Set(skip)
  const items: Delivery[] = []
  for (const session of sessionsBy(context, channels)) {
    if (items.length >= Math.min(limit, limits.pageSizeMost)) break
    if (skipped.has(session.id) || session.delivery === undefined || session.delivery.said <= session.delivery.taken) continue
    const next = await readableNext(context, session)
    if (next !== undefined) items.push(next)
  }
  return { items: withinBytes(items, most) }
}

/** Records the delivery outcome of a message and returns the next one of the conversation. */
const findSession = ({ sessions }: Context, { session: id }: Pick<Params<Edge, 'delivered'>, 'session'>): Session => {
  const session = sessions.get(id)
  if (session?.hasQueue === true) return session
  throw new ServiceError('not-found', { detail: `there is no session ${id}` })
}

const settle = async (context: Context, session: Session, passed: Passed): Promise<Result<Edge, 'delivered'>> => {
  const { isFreed, ...counted } = passed
  if (session.delivery !== undefined) Object.assign(session.delivery, counted)
  // Frees the space of copies in the background.
  if (isFreed)
    compactQueue(context, session).catch((error: unknown) =>
      context.log.warn('could not free the space of copies', { session: session.id, error }),
    )
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

export const deadLettered = async (context: Context, params: Params<Edge, 'buried'>): Promise<Result<Edge, 'buried'>> => {
  const session = findSession(context, params)
  const { seq, reason } = params
  const { letter, ...passed } = await withQueue(context, session, (store) => deadLetter(store, { seq, reason, at: wallTime() }))
  const { id, agentGroupID, conversationID: conversationId, delivery } = session
  if (letter !== undefined && delivery !== undefined)
    context.deadLetters.keep(id, { ...letter, channel: delivery.channel, agentGroupID, conversationId })
  return settle(context, session, passed)
}

/** Undefined for a session that is gone or has no channel. */
export const envelope = async (context: Context, { session: id }: Params<Edge, 'envelope'>): Promise<Result<Edge, 'envelope'>> => {
  const session = context.sessions.get(id)
  if (session?.hasQueue !== true || session.delivery === undefined) return { reference: null }
  try {
    return { reference: (await withQueue(context, session, (store) => newestReference(store.read))) ?? null }
  } catch (error) {
    if (error instanceof UnreadableQueue) return { reference: null }
    throw error
  }
}

/** Number of waiting and of undeliverable messages, and the newest undeliverable ones. Opens no queue. */
export const letters = (context: Context, { channels, limit }: Params<Edge, 'letters'>): Result<Edge, 'letters'> => {
  const counts = new Map(channels.map((channel) => [channel, { channel, waiting: 0, dead: 0 }]))
  for (const { delivery } of sessionsBy(context, channels)) {
    const count = delivery === undefined ? undefined : counts.get(delivery.channel)
    if (count === undefined) continue
    count.waiting += delivery?.waiting ?? 0
    count.dead += delivery?.dead ?? 0
  }
  return { counts: [...counts.values()], letters: context.deadLetters.newest(channels, Math.min(limit, limits.channelLetters)) }
}

/** Reads the copy of a file of a message in pieces, as long as the message waits for its channel. */
export const sentFile = async (context: Context, wanted: Params<Edge, 'sentFile'>): Promise<Result<Edge, 'sentFile'>> => {
  const piece = await withQueue(context, findSession(context, wanted), (store) => readPiece(store.read, wanted))
  if (piece === undefined) throw new ServiceError('not-found', { detail: `there is no such copy of a file of message ${wanted.seq}` })
  return { data: piece.toString('base64') }
}
