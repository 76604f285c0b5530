// Since when an agent has been at what it now works on: what it asks for may rest on all that reached it since.
import type { InboxMessage, MessageID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import type { Context } from './context.ts'
import type { Session } from './session.ts'

/** A message that an earlier runner accepted may have been handed out by it, at the earliest when it came. */
export const noteHanded = ({ since }: Pick<Context, 'since'>, { handed }: Session, { id, at }: InboxMessage): void => {
  if (!handed.has(id)) handed.set(id, at < since ? at : wallTime())
}

export const noteDone = ({ handed }: Session, id: MessageID): void => void handed.delete(id)

/** When the first message that is not acknowledged was first handed to a sandbox; undefined when there is none. */
export const turnSince = ({ handed }: Session): string | undefined => [...handed.values()].toSorted()[0]
