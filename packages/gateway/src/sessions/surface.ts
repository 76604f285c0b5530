// A surface of a session stands: the runner, which waits for it, hears of it. Kept in memory, since sockets die with their server.
import type { SessionID, Surface } from '@gatehouse/contracts'
import type { Audience } from '../events/audience.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'

export const surfaceReady = (
  { sessions, audience }: { sessions: OpenSessions; audience: Audience },
  { session: id, surface }: { session: SessionID; surface: Surface },
): void => {
  sessions.report(presentSession(sessions, id), surface)
  audience.runner('surface-ready', { session: id })
}
