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

/** Those whose surface is still to come are told to make it; to one that has it they are told nothing new. */
export const tellOpened = (audience: Audience, session: Session): void => {
  const opened = withoutConversation(session)
  const isMissing = (surface: Surface): boolean => session.expected.includes(surface) && !session.reported.includes(surface)
  if (isMissing('tools')) audience.broker('session-opened', opened)
  if (isMissing('model')) audience.modelProxy('session-opened', opened)
}

export const surfaceReady = (
  { sessions, audience }: { sessions: OpenSessions; audience: Audience },
  { session: id, surface }: { session: SessionID; surface: Surface },
): void => {
  sessions.report(presentSession(sessions, id), surface)
  audience.runner('surface-ready', { session: id })
}
