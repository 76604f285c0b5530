// What people see of a session.
import type { SessionStatus } from '@gatehouse/contracts'
import type { Session } from './session.ts'

const lastExit = ({ parked, lastExit }: Session): string | undefined => (parked === undefined ? lastExit : `parked: ${parked}`)

export const statusOf = (session: Session): SessionStatus => {
  const exit = lastExit(session)
  return {
    id: session.id,
    agentGroupID: session.agentGroupID,
    conversationId: session.conversationID,
    state: session.state,
    waiting: session.waiting,
    launches: session.launches,
    ...(exit === undefined ? {} : { lastExit: exit }),
    ...(session.parked === undefined || session.fix === undefined ? {} : { fix: session.fix }),
  }
}
