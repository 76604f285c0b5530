// Whether there is room for what somebody says: on the disk of the unit, and in what the conversations of a group may take of it.
import { type AgentGroupID, limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { isScarce } from '../files/room.ts'
import { type Context, sessionsOf } from './context.ts'

/** What is left belongs to the journal. Throws `unavailable`. */
export const checkDisk = async ({ stateDir }: Pick<Context, 'stateDir'>): Promise<void> => {
  if (!(await isScarce(`${stateDir}/${stateFiles.queues}`))) return
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
