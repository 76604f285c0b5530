// An operator ends a session: the gateway has closed it, and what runs for it goes now.
import type { SessionID } from '@gatehouse/contracts'
import { close } from './close.ts'
import type { Context } from './context.ts'

/** Resolves when the sandbox is gone, also when there never was one. */
export const terminate = async (context: Context, id: SessionID): Promise<void> => {
  const session = context.sessions.get(id)
  context.closed.add(id)
  if (session !== undefined) await close(context, session)
}
