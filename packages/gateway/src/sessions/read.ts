// A session and the group that it belongs to, as they are now. A frozen group may have sessions: nothing is launched for them.
import { type AgentGroup, ServiceError, type Session, type SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Audience } from '../events/audience.ts'
import type { Freezes } from '../freeze/freezes.ts'
import { readGroup } from '../registry/world.ts'
import { presentSession } from './find.ts'
import type { OpenSessions } from './open-sessions.ts'
import { tellOpened } from './surface.ts'

const countApplied = `SELECT COUNT(*) AS applied FROM changes WHERE agent_group_id = ? AND state = 'applied'`

export const sessionAndGroup = async (
  { store, sessions, freezes, audience }: { store: Store; sessions: OpenSessions; freezes: Freezes; audience: Audience },
  id: SessionID,
): Promise<{ session: Session; group: AgentGroup; applied: number; frozen: boolean }> => {
  const session = presentSession(sessions, id)
  // First: what is applied in between is in the group, and a launch too many is better than one too few.
  const counted = await store.read.get<{ applied: number }>(countApplied, [session.agentGroupID])
  const group = await readGroup(store.read, session.agentGroupID)
  if (group === undefined) throw new ServiceError('not-found', { detail: `there is no agent group ${session.agentGroupID} any more` })
  // Asked before each launch: one that did not hear of it, or could not make its socket then, is told again.
  const present = sessions.find(id)
  if (present !== undefined) tellOpened(audience, present)
  return { session, group, applied: counted?.applied ?? 0, frozen: freezes.of(group.id) !== undefined }
}
