// Whom a socket belongs to. Nothing in a request can name another.
import type { AgentGroupID, SessionID } from '@gatehouse/contracts'
import type { NameTable } from '../names/table.ts'

export interface CallSession {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
  /** Made anew by each list; none before the first list or call. */
  names: NameTable | undefined
  /** The group's limit as the last verdict named it. */
  callsPerMinute?: number | undefined
}
