// Forgets a closed session: its key first, without which the file is nothing but noise, then the file.
import { isServiceError, ServiceError, type SessionID } from '@gatehouse/contracts'
import { removeQueue } from '../queue/remove.ts'
import { keepFloor } from '../queue/floors.ts'
import type { Context } from './context.ts'

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
  if (session !== undefined) await keepFloor(context.stateDir, session.agentGroupID, session.lastSeq)
  await context.shelf.forget(id)
  const removed = await removeQueue(context, id)
  context.unreadable.delete(id)
  context.sessions.delete(id)
  context.deadLetters.forget(id)
  if (!removed) throw new ServiceError('not-found', { detail: `Nothing of a session ${id} is left.` })
}
