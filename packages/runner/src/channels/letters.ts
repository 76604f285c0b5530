// How many messages wait for their channel and how many died, and the newest dead ones. From memory: no queue is opened.
import { limits, type Params, type Result, type runnerChannels } from '@gatehouse/contracts'
import type { Context } from '../sessions/context.ts'
import { sessionsBy } from './outbox.ts'

type Edge = typeof runnerChannels

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
