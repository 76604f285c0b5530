// Supervises a session: one loop that launches sandboxes while messages are pending.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits, MessageID } from '@gatehouse/contracts'
import { backoff, type Backoff } from '@gatehouse/kernel'
import * as v from 'valibot'
import { move } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import type { End } from './end.ts'
import { postMessage } from './post-message.ts'
import { park } from './queue-access.ts'
import { completeRollout } from './rollout.ts'
import { runSandbox } from './run-sandbox.ts'

const mayLaunch = ({ closing, posture }: Context, { parked, open, frozen }: Session): boolean =>
  !closing.aborted && parked === undefined && open && !frozen && posture.launches()

const isNeeded = (context: Context, session: Session): boolean => mayLaunch(context, session) && (session.waiting > 0 || session.again)

const retryLater = async ({ closing }: Context, session: Session, delays: Backoff): Promise<void> => {
  move(session, 'fail')
  session.pause = new AbortController()
  const signal = AbortSignal.any([closing, session.pause.signal])
  await pause(delays.next(), undefined, { signal }).catch(() => undefined)
  session.pause = undefined
}

const parkFailing = async (context: Context, session: Session, reason: string): Promise<void> => {
  const minutes = Math.round(context.times.failureWindow / 60_000)
  const why = `its sandbox failed ${session.failures.length} times within ${minutes} minutes, the last time: ${reason}`
  session.fix = `read what its sandboxes wrote: svcctl session logs ${session.id}`
  park(context, session, why)
  const text = `This session is parked: ${why}. Messages are kept and wait.`
  await postMessage(context, session, { id: v.parse(MessageID, `s-${randomUUID()}`), from: 'system', text }).catch((error: unknown) =>
    context.log.warn('could not tell the conversation that its session is parked', { session: session.id, error }),
  )
}

const afterFailure = async (context: Context, session: Session, options: { reason: string; delays: Backoff }): Promise<void> => {
  const now = performance.now()
  session.failures = [...session.failures.filter((at) => at > now - context.times.failureWindow), now]
  if (session.failures.length >= limits.failuresBeforeParking) await parkFailing(context, session, options.reason)
  else if (isNeeded(context, session)) await retryLater(context, session, options.delays)
}

const conclude = async (context: Context, session: Session, { end, delays }: { end: End; delays: Backoff }): Promise<void> => {
  if (session.parked !== undefined) {
    if (session.state !== 'parked') move(session, 'park')
    return
  }
  switch (end.kind) {
    case 'stopped':
      session.again = end.why === 'relaunch' || end.why === 'narrowed' || end.why === 'cancel'
      return
    case 'finished':
      return
    case 'gone':
      session.open = false
      return
    case 'refused':
      session.fix = end.fix
      return park(context, session, end.reason)
    case 'postponed':
      context.log.warn('launch postponed', { session: session.id, reason: end.reason })
      if (isNeeded(context, session)) await retryLater(context, session, delays)
      return
    case 'failed':
      context.log.warn('sandbox failed', { session: session.id, reason: end.reason })
      await afterFailure(context, session, { reason: end.reason, delays })
  }
}

const superviseSession = async (context: Context, session: Session): Promise<void> => {
  const delays = backoff({ first: context.times.restartFirst, most: context.times.restartMost })
  while (isNeeded(context, session)) {
    const { again } = session
    session.again = false
    const { end, proved } = await runSandbox(context, session)
    if (end.kind === 'postponed') session.again = again
    if (proved) delays.reset()
    await conclude(context, session, { end, delays })
    if (session.state === 'launching' || session.state === 'live') move(session, 'rest')
  }
  if (session.state !== 'idle' && session.state !== 'parked') move(session, 'rest')
}

/** Sees to it that somebody works for a session that needs a sandbox. Returns at once. */
export const ensureRunning = (context: Context, session: Session): void => {
  if (session.keeping !== undefined || !isNeeded(context, session)) return
  session.keeping = superviseSession(context, session)
    .catch((error: unknown) => {
      context.log.error('unexpected error while keeping a session', { session: session.id, error })
      park(context, session, 'an internal error, which is in the log')
    })
    .finally(() => {
      session.keeping = undefined
      // A message may have come while the loop was ending.
      if (session.state === 'idle') ensureRunning(context, session)
      if (session.keeping === undefined) completeRollout(context, session)
    })
}

export const ensureAllRunning = (context: Context): void => {
  for (const session of context.sessions.values()) ensureRunning(context, session)
}
