// Access to the queue of a session: sequence numbers, quotas, and parking the session when its queue cannot be read.
import { type AgentGroupID, limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import { UnreadableQueue } from '../errors.ts'
import { isLowOnSpace } from '../files/refusal.ts'
import type { Stored } from '../queue/accept.ts'
import { bytesIn } from '../queue/notes.ts'
import { move } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import { type Context, sessionsOf } from '../state/context.ts'

/** A sandbox that runs is ended first, and the loop that keeps it makes the step. */
export const park = ({ log, note }: Pick<Context, 'log' | 'note'>, session: Session, reason: string): void => {
  if (session.parked !== undefined) return
  session.parked = reason
  log.warn('session parked', { session: session.id, agentGroupID: session.agentGroupID, reason })
  note('park', session, { reason })
  if (session.run === undefined) move(session, 'park')
  else session.run.end('park')
}

export const withQueue = async <T>(context: Context, session: Session, act: (store: Store) => Promise<T>): Promise<T> => {
  try {
    return await context.queuePool.use(session, act)
  } catch (error) {
    if (error instanceof UnreadableQueue) park(context, session, error.reason)
    throw error
  }
}

/** Bytes. */
const mostKept = 32 * 1024 * 1024

export const compactQueue = (context: Context, session: Session): Promise<void> =>
  withQueue(context, session, async (store) => {
    session.bytes = await bytesIn(store.read)
    // What is kept is written anew, in memory and in the log: where that is much, its free room is used again instead.
    if (session.bytes > mostKept) return
    await store.compact()
    session.bytes = await bytesIn(store.read)
  })

/** A write that fails may have happened all the same: until it was looked at, the session's number is unclear. */
export const appendWithSequence = async (
  context: Context,
  session: Session,
  write: (store: Store, seq: number) => Promise<Stored>,
): Promise<Stored> => {
  // A new queue takes a dozen syncs, for which the others of the group need not wait.
  await withQueue(context, session, async () => undefined)
  return context.sequence.next(session.agentGroupID, async (seq) => {
    session.unclear = true
    const stored = await withQueue(context, session, async (store) => {
      const written = await write(store, seq)
      session.bytes = await bytesIn(store.read)
      return written
    })
    session.unclear = false
    session.hasQueue = true
    if (stored.stored) session.lastSeq = seq
    return stored
  })
}

/** What is left belongs to the journal. Throws `unavailable`. */
export const checkDisk = async ({ stateDir }: Pick<Context, 'stateDir'>): Promise<void> => {
  if (!(await isLowOnSpace(`${stateDir}/${stateFiles.queues}`))) return
  throw new ServiceError('unavailable', {
    detail: 'expected room for the message on the disk of the unit, there is none',
    hint: 'free some of the disk that holds the state directory; nothing that was said is lost',
  })
}

/** Bytes of the tables of an empty queue: people make those, no agent. */
const emptyQueue = 96 * 1024

/** Asked in the turn of the group. Throws `queue-full`. */
export const checkShare = (context: Context, group: AgentGroupID): void => {
  const bytes = sessionsOf(context, group).reduce((sum, session) => sum + Math.max(0, session.bytes - emptyQueue), 0)
  if (bytes < limits.queueBytesByGroup) return
  throw new ServiceError('queue-full', {
    detail: `expected at most ${limits.queueBytesByGroup} bytes in the conversations of this group, they have ${bytes}`,
    hint: 'messages that are old enough to be forgotten, and closed sessions that are purged, make room',
  })
}

/** No code by which an agent would wait: what is in the way may take a day. */
const noSpace = (detail: string): ServiceError =>
  new ServiceError('too-large', { detail, hint: 'nothing was sent: say it without files, name their paths, and send them later' })

/** In the turn of the group, so that no two messages take the same room. Throws `too-large`. */
export const checkAttachmentQuota = async (context: Context, session: Session, bytes: number): Promise<void> => {
  const held = session.delivery?.held ?? 0
  if (held + bytes > limits.sentHeld)
    throw noSpace(`expected at most ${limits.sentHeld} bytes of files that wait for the channel of this conversation, got ${held + bytes}`)
  const byGroup = sessionsOf(context, session.agentGroupID).reduce((sum, { delivery }) => sum + (delivery?.held ?? 0), 0)
  if (byGroup + bytes > limits.sentHeldByGroup)
    throw noSpace(`expected at most ${limits.sentHeldByGroup} bytes of files of this group that wait for channels, got ${byGroup + bytes}`)
  if (await isLowOnSpace(`${context.stateDir}/${stateFiles.queues}`, bytes))
    throw noSpace('expected room for copies of the files on the disk of the unit, there is none')
}
