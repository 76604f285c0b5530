// Who calls is the socket that the call came by; no header is looked at.
import type { SessionInfo } from '@gatehouse/contracts'
import type { Context } from '../sessions/context.ts'
import type { Run } from '../sessions/run.ts'
import type { Session } from '../sessions/session.ts'

export interface Caller {
  readonly context: Context
  readonly session: Session
  readonly run: Run
  /** The session and its group as they were at the launch. */
  readonly info: SessionInfo
}
