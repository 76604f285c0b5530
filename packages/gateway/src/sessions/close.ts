// Ends a session: from now on nothing is allowed to it, and its sockets may go.
import type { SessionID } from '@gatehouse/contracts'
import { presentSession } from './find.ts'
import type { LastCalls } from './last-call.ts'
import { markClosed } from './lines.ts'
import type { SessionDeps } from './open.ts'

export interface CloseDeps extends SessionDeps {
  readonly lastCalls: LastCalls
}

/** Forgotten before it is written, so that nobody is handed a session that ends; known again if that fails. */
export const closeSession = async ({ store, sessions, lastCalls, audience, clock }: CloseDeps, id: SessionID): Promise<void> => {
  const session = presentSession(sessions, id)
  sessions.remove(session)
  try {
    await store.write((tx) => markClosed(tx, id, new Date(clock()).toISOString()))
  } catch (error) {
    // A commit that failed may have happened all the same.
    const open = await store.read.get('SELECT id FROM sessions WHERE id = ? AND closed_at IS NULL', [id])
    if (open !== undefined) sessions.restore(session)
    throw error
  }
  lastCalls.forget(id)
  audience.broker('session-closed', { session: id })
  audience.modelProxy('session-closed', { session: id })
}
