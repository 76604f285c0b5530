// What the sandboxes of a session printed last.
import { ServiceError, type Result, type runnerControlPlane, type SessionID } from '@gatehouse/contracts'
import type { Context } from './context.ts'

export const logs = (context: Context, id: SessionID, limit: number): Result<typeof runnerControlPlane, 'logs'> => {
  const session = context.sessions.get(id)
  if (session === undefined) throw new ServiceError('not-found', { detail: `Nothing is known of a session ${id}.` })
  return session.output.last(limit)
}
