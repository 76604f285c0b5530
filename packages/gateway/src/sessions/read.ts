// A session and the group that it belongs to, as they are now. A frozen group may have sessions: nothing is launched for them.
import { type AgentGroup, ServiceError, type Session, type SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Freezes } from '../freeze/freezes.ts'
import { readGroup } from '../registry/world.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'

export const sessionAndGroup = async (
  { store, sessions, freezes }: { store: Store; sessions: OpenSessions; freezes: Freezes },
  id: SessionID,
): Promise<{ session: Session; group: AgentGroup; frozen: boolean }> => {
  const session = presentSession(sessions, id)
  const group = await readGroup(store.read, session.agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `there is no agent group ${session.agentGroupID} any more` })
  return { session, group, frozen: freezes.of(group.id) !== undefined }
}
