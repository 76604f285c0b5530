// Operator actions on sessions: resume, terminate, close, cancel the current message, drain and purge.
import { randomUUID } from 'node:crypto'
import { isServiceError, MessageID, ServiceError, type SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { acknowledge, waitingIn } from '../queue/accept.ts'
import { deliver } from '../queue/list.ts'
import { removeQueue } from '../queue/remove.ts'
import { storeHighWater } from '../queue/sequence.ts'
import { leave, move } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { recordAcknowledged, postMessage } from './post-message.ts'
import { withQueue } from './queue-access.ts'
import { completeRollout } from './rollout.ts'
import { ensureRunning } from './supervise.ts'

/** Files may have been put back: what waits is read anew. One that still cannot be read parks its session again. */
const readQueue = async (context: Context, session: Session): Promise<void> => {
  session.waiting = await withQueue(context, session, (store) => waitingIn(store.read))
  session.hasQueue = true
  session.untold = true
}

const unpark = async (context: Context, session: Session): Promise<void> => {
  context.unreadable.delete(session.id)
  session.parked = undefined
  session.fix = undefined
  move(session, 'resume')
  await readQueue(context, session)
}

/** One that is not parked is tried at once where it was to be tried later. */
export const resume = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  if (session?.open !== true) throw new ServiceError('not-found', { detail: `No session ${id} is open.` })
  if (session.parked !== undefined) await session.keeping
  session.failures = []
  session.pause?.abort()
  if (session.parked !== undefined) await unpark(context, session)
  ensureRunning(context, session)
}

/** Resolves when the sandbox is gone. The next message of the conversation opens another session. */
export const close = async (context: Context, session: Session): Promise<void> => {
  context.closed.add(session.id)
  session.open = false
  session.again = false
  session.run?.end('terminate')
  session.pause?.abort()
  await session.keeping
  completeRollout(context, session)
  session.telling
    .then(() => context.queuePool.release(session.id))
    .catch((error: unknown) => context.log.warn('could not close a queue', { session: session.id, error }))
}

/** Resolves when the sandbox is gone, also when there never was one. */
export const terminate = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  context.closed.add(id)
  if (session !== undefined) await close(context, session)
}

/** Of several that were handed over the oldest is the one that is worked on. */
const inHand = async (context: Context, session: Session): Promise<MessageID | undefined> => {
  const delivered = session.run?.delivered
  if (delivered === undefined || delivered.size === 0) return undefined
  return (await withQueue(context, session, deliver)).find(({ id }) => delivered.has(id))?.id
}

/** `conflict` where nothing is being worked on. What else waits is delivered to the next sandbox. */
export const cancel = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  if (session?.open !== true) throw new ServiceError('not-found', { detail: `No session ${id} is open.` })
  const message = await inHand(context, session)
  const { run } = session
  if (message === undefined || run === undefined) {
    throw new ServiceError('conflict', {
      detail: `The agent of session ${id} works on no message.`,
      hint: 'Look at the session in `GET /v1/sessions`; to end it for good, terminate it.',
    })
  }
  session.waiting = await withQueue(context, session, (store) => acknowledge(store, message))
  recordAcknowledged(session, message)
  run.end('cancel')
  const text = 'This turn was cancelled. What the agent had begun may have had effects.'
  await postMessage(context, session, { id: v.parse(MessageID, `s-${randomUUID()}`), from: 'system', text, inReplyTo: message })
}

/** `closing` has been aborted, so nothing is launched any more. */
export const drain = async ({ times }: Context, session: Session): Promise<void> => {
  const { run, keeping } = session
  if (run !== undefined) leave(run, 'drain')
  const late = setTimeout(() => run?.end('drain'), times.grace)
  await keeping
  clearTimeout(late)
}

/** After a restart it is the gateway that knows. */
const isOpen = async ({ gateway }: Context, id: SessionID): Promise<boolean> => {
  try {
    await gateway.session({ session: id })
    return true
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') return false
    throw error
  }
}

/** `conflict` while the session is open, `not-found` where nothing of it is left. */
export const purge = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  if (session?.open === true || (await isOpen(context, id))) {
    throw new ServiceError('conflict', { detail: `The session ${id} is open.`, hint: `Terminate it first: svcctl session terminate ${id}` })
  }
  await session?.keeping
  await session?.telling
  // Numbers that people have read are not given again.
  if (session !== undefined) await storeHighWater(context.stateDir, session.agentGroupID, session.lastSeq)
  await context.queuePool.forget(id)
  const removed = await removeQueue(context, id)
  context.unreadable.delete(id)
  context.sessions.delete(id)
  context.deadLetters.forget(id)
  if (!removed) throw new ServiceError('not-found', { detail: `Nothing of a session ${id} is left.` })
}
