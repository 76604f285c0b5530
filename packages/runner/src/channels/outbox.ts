// What agents said that their channels have not taken yet, the oldest of each conversation.
import type { ChannelName, Delivery, Params, Result, runnerChannels } from '@gatehouse/contracts'
import { limits } from '@gatehouse/contracts'
import { nextUndelivered } from '../queue/delivery.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { withinBytes } from '../queue/within-bytes.ts'
import type { Context } from '../sessions/context.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerChannels

const most = limits.rpcFrame / 2

export const nextOf = async (context: Context, session: Session): Promise<Delivery | undefined> => {
  const said = session.delivery?.said ?? 0
  const found = await withQueue(context, session, (store) => nextUndelivered(store.read))
  if (found === undefined) {
    const { delivery } = session
    if (delivery !== undefined) {
      // What was said meanwhile is counted already.
      if (delivery.said === said) Object.assign(delivery, { waiting: 0, held: 0 })
      delivery.taken = Math.max(delivery.taken, said)
    }
    return undefined
  }
  const { id, agentGroupID, conversationID } = session
  return { ...found, session: id, agentGroupID, conversationId: conversationID }
}

/** A queue that cannot be read hides no other. */
const readableNext = async (context: Context, session: Session): Promise<Delivery | undefined> => {
  try {
    return await nextOf(context, session)
  } catch (error) {
    if (error instanceof UnreadableQueue) return undefined
    throw error
  }
}

export const sessionsBy = ({ sessions }: Context, channels: readonly ChannelName[]): Session[] =>
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
