// An open session, or the error that there is none.
import { ServiceError, type Session, type SessionID } from '@gatehouse/contracts'
import type { OpenSessions } from './open-sessions.ts'

export const unknownSession = (id: SessionID): ServiceError =>
  new ServiceError('not-found', { detail: `there is no open session ${id}`, hint: 'list the sessions' })

export const presentSession = (sessions: OpenSessions, id: SessionID): Session => {
  const session = sessions.find(id)
  if (session === undefined) throw unknownSession(id)
  return session
}
