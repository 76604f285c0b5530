// A person stops what an agent is at: the message is taken from its hands for good, and its sandbox goes with whatever it was doing.
import { randomUUID } from 'node:crypto'
import { MessageID, ServiceError, type SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { acknowledge } from '../queue/acknowledge.ts'
import { deliver } from '../queue/deliver.ts'
import type { Context } from './context.ts'
import { say } from './say.ts'
import type { Session } from './session.ts'
import { noteDone } from './turn.ts'
import { withQueue } from './with-queue.ts'

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
  noteDone(session, message)
  run.end('cancel')
  const text = 'This turn was cancelled. What the agent had begun may have had effects.'
  await say(context, session, { id: v.parse(MessageID, `s-${randomUUID()}`), from: 'system', text, inReplyTo: message })
}
