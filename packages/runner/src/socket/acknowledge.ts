// The agent is done with a message.
import type { MessageID } from '@gatehouse/contracts'
import { acknowledge as acknowledgeIn } from '../queue/acknowledge.ts'
import { tellFull } from '../sessions/tell-full.ts'
import { noteDone } from '../sessions/turn.ts'
import { withQueue } from '../sessions/with-queue.ts'
import type { Caller } from './caller.ts'

export const acknowledge = async ({ context, session, run }: Caller, id: MessageID): Promise<void> => {
  session.waiting = await withQueue(context, session, (store) => acknowledgeIn(store, id))
  run.delivered.delete(id)
  noteDone(session, id)
  run.proved = true
  tellFull(context, session, run).catch((error: unknown) => context.log.warn('a full disk not told', { session: session.id, error }))
}
