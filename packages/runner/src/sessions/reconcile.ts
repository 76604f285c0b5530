// Reconciles sessions with the gateway after each connection: fetches what was missed and resumes pending work.
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isServiceError, limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import { UnreadableQueue } from '../errors.ts'
import { recordReported, type Request, undecidedRequests } from '../queue/notes.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { close } from './lifecycle.ts'
import { withQueue } from './queue-access.ts'
import { reportDecision } from './receive.ts'
import { adoptSession, refreshSession, type RegisteredSession } from './registry.ts'
import { resendRollout, relaunch, completeRollout } from './rollout.ts'
import { ensureRunning } from './supervise.ts'

/** Needed only for a running sandbox; a launch requests the state itself. Resolves to the answer if it is the latest. */
export const reconsider = async (context: Context, session: Session): Promise<RegisteredSession | undefined> => {
  if (session.run === undefined) {
    session.frozen = false
    ensureRunning(context, session)
    return undefined
  }
  const registered = await refreshSession(context, session)
  if (session.frozen) return registered
  if (session.stale !== undefined) relaunch(context, session, { narrowing: session.stale === 'narrowed' })
  session.news.emit('message')
  ensureRunning(context, session)
  return registered
}

/** A change that the gateway no longer has is forgotten. */
const askAbout = async (context: Context, session: Session, { id, kind }: Request): Promise<boolean> => {
  try {
    const { state, failure, reason } = await context.gateway.changeFor({ session: session.id, id })
    await reportDecision(context, session, { id, kind, state, reason: failure?.reason ?? reason })
    return state === 'held' || state === 'approved'
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'not-found') throw error
    await withQueue(context, session, (store) => recordReported(store, id))
    return false
  }
}

/** An unreadable queue parks its session and does not affect others. */
const tellDecisions = async (context: Context, session: Session): Promise<void> => {
  if (!session.untold || session.parked !== undefined) return
  try {
    const open: boolean[] = []
    for (const request of await withQueue(context, session, undecidedRequests)) open.push(await askAbout(context, session, request))
    session.untold = open.includes(true)
  } catch (error) {
    if (!(error instanceof UnreadableQueue)) throw error
  }
}

/** Does not wait for its sandbox. */
const forget = (context: Context, session: Session): void => {
  close(context, session).catch((error: unknown) => context.log.error('could not close a session', { session: session.id, error }))
}

/**
 * A change of its group has gone unheard, and nobody knows what it took away. So too where as many were applied to a group that is
 * another now, by a gateway of an older state; and without an answer: who asked later, and got it, compares nothing. A launch that
 * is being prepared asks by itself.
 */
const isBehind = ({ run }: Session, registered: RegisteredSession | undefined): boolean => {
  if (run?.basis === undefined) return false
  const { group, applied } = run.basis
  return registered?.applied !== applied || !isDeepStrictEqual(registered.group, group)
}

/** `again`: the connection was lost in between. */
const reconcile = async (context: Context, options: { again: boolean }): Promise<void> => {
  // The answer does not contain a session that was opened in the meantime.
  const before = [...context.sessions.values()]
  const registered = await context.gateway.sessions({})
  const known = new Set(registered.map(({ id }) => id))
  for (const session of before.filter(({ id }) => !known.has(id))) forget(context, session)
  const sessions = registered.map((one) => adoptSession(context, one))
  for (const session of sessions) {
    session.news.emit('surface')
    const registered = await reconsider(context, session)
    if (options.again && isBehind(session, registered)) relaunch(context, session, { narrowing: true })
    if (session.keeping === undefined) completeRollout(context, session)
    else resendRollout(context, session)
  }
  for (const session of sessions) await tellDecisions(context, session)
}

/** Returns at once. Retries until it succeeds or a newer connection takes over. */
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
