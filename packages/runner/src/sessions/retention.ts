// Deletes messages after the retention period, and reads the highest sequence number and recent output of sessions.
import { setTimeout as pause } from 'node:timers/promises'
import { type AgentGroupID, limits, type Result, type runnerControlPlane, ServiceError, type SessionID } from '@gatehouse/contracts'
import { retentionMs } from '@gatehouse/kernel'
import { UnreadableQueue } from '../errors.ts'
import { lastSeq } from '../queue/notes.ts'
import { forgetBefore, hasBefore } from '../queue/remove.ts'
import type { Session } from '../session/session.ts'
import { type Context, sessionsOf } from '../state/context.ts'
import { compactQueue, withQueue } from './queue-access.ts'

const forgetIn = async (context: Context, session: Session, before: string): Promise<number> => {
  const forgotten = await withQueue(context, session, async (store) => {
    if (!(await hasBefore(store, before))) return 0
    const { forgotten, letters, left } = await forgetBefore(store, before)
    context.deadLetters.forget(session.id, letters)
    if (session.delivery !== undefined) Object.assign(session.delivery, left)
    return forgotten
  })
  if (forgotten > 0) await compactQueue(context, session)
  return forgotten
}

/** One session after the other; one whose queue cannot be used now waits for the next time. */
const forgetOld = async (context: Context, before: Date): Promise<number> => {
  const limit = before.toISOString()
  let forgotten = 0
  for (const session of context.sessions.values()) {
    if (context.closing.aborted) break
    if (!session.hasQueue) continue
    try {
      forgotten += await forgetIn(context, session, limit)
    } catch (error) {
      if (!(error instanceof UnreadableQueue)) context.log.warn('old messages could not be forgotten', { session: session.id, error })
    }
  }
  return forgotten
}

/** Ends with the runner. `retention`: milliseconds. */
export const startRetention = async (context: Context, retention: number): Promise<void> => {
  while (!context.closing.aborted) {
    const messages = await forgetOld(context, new Date(retentionMs() - retention))
    if (messages > 0) context.log.info('old messages forgotten', { messages })
    await pause(limits.chatSweep, undefined, { signal: context.closing, ref: false }).catch(() => undefined)
  }
}

/** A queue that cannot be read holds up no other conversation. */
const highestIn = async (context: Context, session: Session): Promise<number> => {
  if (!session.unclear) return session.lastSeq
  try {
    session.lastSeq = await withQueue(context, session, lastSeq)
    session.unclear = false
  } catch (error) {
    if (!(error instanceof UnreadableQueue)) throw error
  }
  return session.lastSeq
}

export const highestSeq = async (context: Context, group: AgentGroupID): Promise<number> => {
  let highest = context.floors.get(group) ?? 0
  for (const session of sessionsOf(context, group)) {
    // Also where the first message of a conversation may have been written.
    if (session.hasQueue || session.unclear) highest = Math.max(highest, await highestIn(context, session))
  }
  return highest
}

/** What the sandboxes of a session printed last. */
export const logs = (context: Context, id: SessionID, limit: number): Result<typeof runnerControlPlane, 'logs'> => {
  const session = context.sessions.get(id)
  if (session === undefined) throw new ServiceError('not-found', { detail: `Nothing is known of a session ${id}.` })
  return session.output.last(limit)
}
