// Takes a message for the agent: on disk first, then told to whoever waits for it.
import type { MessageID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import { accept, type Origin, type Stored } from '../queue/accept.ts'
import type { RepeatKey } from '../queue/repeat.ts'
import type { Context } from './context.ts'
import { ensure } from './ensure.ts'
import { number } from './number.ts'
import { checkDisk } from './queue-room.ts'
import type { Session } from './session.ts'

export interface Received {
  readonly id: MessageID
  readonly from: 'user' | 'system'
  readonly text: string
  readonly repeat?: RepeatKey | undefined
  readonly origin?: Origin | undefined
}

/** The launch, if one is needed, goes on by itself. */
export const receive = async (context: Context, session: Session, message: Received): Promise<Stored> => {
  // What the host itself has to say is little, and somebody waits for it.
  if (message.from === 'user') await checkDisk(context)
  const at = wallTime()
  const stored = await context.receipts.during(() => number(context, session, (store, seq) => accept(store, { ...message, seq, at })))
  session.waiting = stored.waiting
  if (stored.stored) session.words.give()
  session.news.emit('message')
  ensure(context, session)
  return stored
}
