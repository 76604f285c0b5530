// How many messages wait for their channel and how many died, and the newest dead ones.
import { type ChannelName, type DeadLetter, limits, type Params, type Result, type runnerChannels } from '@gatehouse/contracts'
import { countDeliveries, type Counted, deadLetters } from '../queue/delivery.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import type { Context } from '../sessions/context.ts'
import type { Session } from '../sessions/session.ts'
import { withQueue } from '../sessions/with-queue.ts'
import { sessionsBy } from './outbox.ts'

type Edge = typeof runnerChannels

interface Found extends Counted {
  readonly channel: ChannelName
  readonly letters: readonly DeadLetter[]
}

const look = async (context: Context, session: Session, limit: number): Promise<Found[]> => {
  const { delivery, agentGroupID, conversationID: conversationId } = session
  if (delivery === undefined) return []
  const { channel } = delivery
  try {
    return await withQueue(context, session, async (store) => {
      const counted = await countDeliveries(store.read)
      const dead = counted.dead === 0 ? [] : await deadLetters(store.read, limit)
      return [{ channel, ...counted, letters: dead.map((letter) => ({ ...letter, channel, agentGroupID, conversationId })) }]
    })
  } catch (error) {
    if (error instanceof UnreadableQueue) return []
    throw error
  }
}

export const letters = async (context: Context, { channels, limit: wanted }: Params<Edge, 'letters'>): Promise<Result<Edge, 'letters'>> => {
  const limit = Math.min(wanted, limits.channelLetters)
  const found: Found[] = []
  for (const session of sessionsBy(context, channels)) found.push(...(await look(context, session, limit)))
  const counts = channels.map((channel) => {
    const own = found.filter((one) => one.channel === channel)
    const sum = (of: keyof Counted): number => own.reduce((total, one) => total + one[of], 0)
    return { channel, waiting: sum('waiting'), dead: sum('dead') }
  })
  const dead = found.flatMap((one) => one.letters)
  return { counts, letters: dead.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit) }
}
