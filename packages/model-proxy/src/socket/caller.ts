// Whom a socket belongs to. Nothing in a request can name another.
import type { AgentGroupID, SessionID } from '@gatehouse/contracts'

export interface ModelCaller {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
  /** Requests of the session that run now. */
  running: number
}
