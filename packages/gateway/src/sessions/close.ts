// Ends a session: from now on nothing is allowed to it, and its sockets may go.
import type { SessionID } from '@gatehouse/contracts'
import { presentSession } from './find.ts'
import type { SessionDeps } from './open.ts'

/** Forgotten before it is written, so that nobody is handed a session that ends; known again if that fails. */
export const closeSession = async ({ store, sessions, audience, clock }: SessionDeps, id: SessionID): Promise<void> => {
  const session = presentSession(sessions, id)
  sessions.remove(session)
  try {
    await store.write((tx) => tx.run('UPDATE sessions SET closed_at = ? WHERE id = ?', [new Date(clock()).toISOString(), id]))
  } catch (error) {
    await sessions.load(store.read)
    throw error
  }
  audience.broker('session-closed', { session: id })
}
