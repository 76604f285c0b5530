// From time to time: forgets what was said longer ago than it is kept.
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { retentionMs } from '@gatehouse/kernel'
import { forgetBefore, hasBefore } from '../queue/forget.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import type { Context } from './context.ts'
import { giveBack } from './give-back.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

const forgetIn = async (context: Context, session: Session, before: string): Promise<number> => {
  const forgotten = await withQueue(context, session, async (store) => {
    if (!(await hasBefore(store, before))) return 0
    const { forgotten, letters, left } = await forgetBefore(store, before)
    context.deadLetters.forget(session.id, letters)
    if (session.delivery !== undefined) Object.assign(session.delivery, left)
    return forgotten
  })
  if (forgotten > 0) await giveBack(context, session)
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
export const keepForgetting = async (context: Context, retention: number): Promise<void> => {
  while (!context.closing.aborted) {
    const messages = await forgetOld(context, new Date(retentionMs() - retention))
    if (messages > 0) context.log.info('old messages forgotten', { messages })
    await pause(limits.chatSweep, undefined, { signal: context.closing, ref: false }).catch(() => undefined)
  }
}
