// Queries of lists: paging and optional filters.
import type { CallRecord, ChangeState, Kind, SessionStatus } from '@gatehouse/contracts'

/** To read the next page, pass `nextCursor` of the response as `cursor`. */
export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface GroupQuery extends Page {
  readonly agentGroupID?: string | undefined
}

interface Filtered extends GroupQuery {
  readonly kind?: Kind | undefined
  readonly principal?: string | undefined
  /** RFC 3339, inclusive. */
  readonly since?: string | undefined
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined
}

export interface PendingQuery extends Filtered {
  readonly requestedBy?: string | undefined
}

export interface HistoryQuery extends PendingQuery {
  readonly state?: ChangeState | undefined
}

export interface AuditQuery extends Filtered {
  readonly stage?: string | undefined
  readonly changeID?: string | undefined
}

export interface CallsQuery extends GroupQuery {
  readonly session?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly op?: CallRecord['op'] | undefined
  readonly status?: CallRecord['status'] | undefined
  readonly code?: CallRecord['code'] | undefined
  /** RFC 3339, inclusive. */
  readonly since?: string | undefined
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined
}

export interface MessagesQuery {
  /** Only messages with a greater `seq`. */
  readonly after?: number | undefined
  readonly limit?: number | undefined
  readonly conversation?: string | undefined
}

export interface ModelCallsQuery extends GroupQuery {
  readonly session?: string | undefined
  readonly provider?: string | undefined
  readonly outcome?: string | undefined
  /** RFC 3339. `since` is inclusive, `until` exclusive. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface SessionsQuery extends GroupQuery {
  /** Only the session with this id. */
  readonly session?: string | undefined
  readonly conversation?: string | undefined
  readonly state?: SessionStatus['state'] | undefined
}
