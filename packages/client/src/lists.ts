// What a reader may ask of lists: pages, and filters that are all optional.
import type { CallRecord, ChangeState, Kind, SessionStatus } from '@gatehouse/contracts'

/** `nextCursor` of one answer is `cursor` of the next question. */
export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface OfGroup extends Page {
  readonly agentGroupID?: string | undefined
}

interface Filtered extends OfGroup {
  readonly kind?: Kind | undefined
  readonly principal?: string | undefined
  /** RFC 3339: from then on. */
  readonly since?: string | undefined
  /** RFC 3339: up to and without. */
  readonly until?: string | undefined
}

export interface PendingWanted extends Filtered {
  readonly requestedBy?: string | undefined
}

export interface HistoryWanted extends PendingWanted {
  readonly state?: ChangeState | undefined
}

export interface AuditWanted extends Filtered {
  readonly stage?: string | undefined
  readonly changeID?: string | undefined
}

export interface CallsWanted extends OfGroup {
  readonly session?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly op?: CallRecord['op'] | undefined
  readonly status?: CallRecord['status'] | undefined
  readonly code?: CallRecord['code'] | undefined
  /** RFC 3339: from then on. */
  readonly since?: string | undefined
  /** RFC 3339: up to and without. */
  readonly until?: string | undefined
}

export interface MessagesWanted {
  /** Only messages with a greater `seq`. */
  readonly after?: number | undefined
  readonly limit?: number | undefined
  readonly conversation?: string | undefined
}

export interface ModelCallsWanted extends OfGroup {
  readonly session?: string | undefined
  readonly provider?: string | undefined
  readonly outcome?: string | undefined
  /** RFC 3339: from then on, and up to and without. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface SessionsWanted extends OfGroup {
  /** The one with this id alone. */
  readonly session?: string | undefined
  readonly conversation?: string | undefined
  readonly state?: SessionStatus['state'] | undefined
}
