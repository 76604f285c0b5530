// How much room copies of files take that wait for a channel: bounded for a conversation, for a group, and by the disk.
import { limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { isScarce } from '../files/room.ts'
import { type Context, sessionsOf } from './context.ts'
import type { Session } from './session.ts'

/** No code by which an agent would wait: what is in the way may take a day. */
const noRoom = (detail: string): ServiceError =>
  new ServiceError('too-large', { detail, hint: 'nothing was sent: say it without files, name their paths, and send them later' })

/** In the turn of the group, so that no two messages take the same room. Throws `too-large`. */
export const checkHeld = async (context: Context, session: Session, bytes: number): Promise<void> => {
  const held = session.delivery?.held ?? 0
  if (held + bytes > limits.sentHeld)
    throw noRoom(`expected at most ${limits.sentHeld} bytes of files that wait for the channel of this conversation, got ${held + bytes}`)
  const byGroup = sessionsOf(context, session.agentGroupID).reduce((sum, { delivery }) => sum + (delivery?.held ?? 0), 0)
  if (byGroup + bytes > limits.sentHeldByGroup)
    throw noRoom(`expected at most ${limits.sentHeldByGroup} bytes of files of this group that wait for channels, got ${byGroup + bytes}`)
  if (await isScarce(`${context.stateDir}/${stateFiles.queues}`, bytes))
    throw noRoom('expected room for copies of the files on the disk of the unit, there is none')
}
