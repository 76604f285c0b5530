// Puts what the agent says, and files of its group with it, into the conversation: whole, or not at all.
import { withSentFiles } from '../files/sent.ts'
import { withDisk } from '../groups/with-disk.ts'
import { isRepeat } from '../queue/reply.ts'
import type { Context } from './context.ts'
import { say, type Word } from './say.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** One after another for a group. The files of what was said before are not looked at again: they may be gone by now. */
export const sayWithFiles = (
  context: Context,
  session: Session,
  { paths, ...message }: Omit<Word, 'files'> & { readonly paths: readonly string[] },
): Promise<boolean> =>
  withDisk(context, session.agentGroupID, async () => {
    const isKnown = await withQueue(context, session, (store) => isRepeat(store.read, message))
    if (isKnown) return say(context, session, message)
    const { stateDir } = context
    const { agentGroupID } = session
    return withSentFiles({ stateDir, agentGroupID, paths }, (files) => say(context, session, { ...message, files }))
  })
