// After each (re)connection to the gateway: what was missed meanwhile is asked for, and what waits is seen to.
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isServiceError, limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import { noteTold, type Request, untoldRequests } from '../queue/requests.ts'
import { UnreadableQueue } from '../queue/unreadable.ts'
import { adopt } from './adopt.ts'
import type { Registered } from './ask.ts'
import { close } from './close.ts'
import type { Context } from './context.ts'
import { decided } from './decided.ts'
import { oweAgain, settleOwed } from './owed.ts'
import { reconsider } from './reconsider.ts'
import { relaunch } from './relaunch.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** A change that the gateway no longer has is forgotten. */
const askAbout = async (context: Context, session: Session, { id, kind }: Request): Promise<boolean> => {
  try {
    const { state, failure, reason } = await context.gateway.changeFor({ session: session.id, id })
    await decided(context, session, { id, kind, state, reason: failure?.reason ?? reason })
    return state === 'held' || state === 'approved'
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'not-found') throw error
    await withQueue(context, session, (store) => noteTold(store, id))
    return false
  }
}

/** A queue that cannot be read has parked its session, and holds up no other. */
const tellDecisions = async (context: Context, session: Session): Promise<void> => {
  if (!session.untold || session.parked !== undefined) return
  try {
    const open: boolean[] = []
    for (const request of await withQueue(context, session, untoldRequests)) open.push(await askAbout(context, session, request))
    session.untold = open.includes(true)
  } catch (error) {
    if (!(error instanceof UnreadableQueue)) throw error
  }
}

/** Its sandbox, if any, is not waited for. */
const forget = (context: Context, session: Session): void => {
  close(context, session).catch((error: unknown) => context.log.error('session not closed in order', { session: session.id, error }))
}

/**
 * A change of its group has gone unheard, and nobody knows what it took away. So too where as many were applied to a group that is
 * another now, by a gateway of an older state; and without an answer: who asked later, and got it, compares nothing. A launch that
 * is being prepared asks by itself.
 */
const isBehind = ({ run }: Session, registered: Registered | undefined): boolean => {
  if (run?.basis === undefined) return false
  const { group, applied } = run.basis
  return registered?.applied !== applied || !isDeepStrictEqual(registered.group, group)
}

/** `again`: the connection was lost in between. */
const reconcile = async (context: Context, options: { again: boolean }): Promise<void> => {
  // One that is opened while the gateway answers is not in its answer.
  const before = [...context.sessions.values()]
  const registered = await context.gateway.sessions({})
  const known = new Set(registered.map(({ id }) => id))
  for (const session of before.filter(({ id }) => !known.has(id))) forget(context, session)
  const sessions = registered.map((one) => adopt(context, one))
  for (const session of sessions) {
    session.news.emit('surface')
    const registered = await reconsider(context, session)
    if (options.again && isBehind(session, registered)) relaunch(context, session, { narrowing: true })
    if (session.keeping === undefined) settleOwed(context, session)
    else oweAgain(context, session)
  }
  for (const session of sessions) await tellDecisions(context, session)
}

/** Returns at once. Tried until it has succeeded or a newer connection has taken over. */
export const createReconciler = (context: Context): (() => void) => {
  let connections = 0
  const run = async (isCurrent: () => boolean): Promise<void> => {
    const delays = backoff({ first: limits.restartFirst, most: limits.restartMost })
    while (isCurrent()) {
      try {
        return await reconcile(context, { again: connections > 1 })
      } catch (error) {
        context.log.warn('could not reconcile with the gateway', { error })
        await pause(delays.next(), undefined, { signal: context.closing }).catch(() => undefined)
      }
    }
  }
  return () => {
    connections += 1
    const connection = connections
    void run(() => connection === connections && !context.closing.aborted)
  }
}
