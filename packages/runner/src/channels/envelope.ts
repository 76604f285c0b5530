// Where the newest message of a conversation came from, for what is said there by another than the agent.
import type { Params, Result, runnerChannels } from '@gatehouse/contracts'
import { newestReference } from '../queue/delivery.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import type { Context } from '../sessions/context.ts'
import { withQueue } from '../sessions/with-queue.ts'

type Edge = typeof runnerChannels

/** A session that is gone, or that no channel leads to, came from nowhere. */
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
