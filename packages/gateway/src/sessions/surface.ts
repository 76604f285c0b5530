// A surface of a session stands: the runner, which waits for it, hears of it. Kept in memory, since sockets die with their server.
import type { GatewayBoot, Session, SessionID, Surface } from '@gatehouse/contracts'
import type { Audience } from '../events/audience.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'

/** What a session may not use is not there. */
export const expectedSurfaces =
  ({ catalog, models }: Pick<GatewayBoot, 'catalog' | 'models'>) =>
  (agent: string | null): readonly Surface[] => [
    ...(catalog === null ? [] : (['tools'] as const)),
    ...(agent === 'model' && models.length > 0 ? (['model'] as const) : []),
  ]

/** As it is told to those who serve its sockets. */
export const withoutConversation = ({ id, agentGroupID, identity }: Session) => ({
  session: id,
  agentGroupID,
  ...(identity === undefined ? {} : { identity }),
})

export const surfaceReady = (
  { sessions, audience }: { sessions: OpenSessions; audience: Audience },
  { session: id, surface }: { session: SessionID; surface: Surface },
): void => {
  sessions.report(presentSession(sessions, id), surface)
  audience.runner('surface-ready', { session: id })
}
