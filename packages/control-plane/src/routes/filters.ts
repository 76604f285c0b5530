// The filters of lists as queries carry them: text, each with the form of what it filters.
import { AgentGroupID, auditStages, ChangeID, ChangeState, Kind, Requester, Time } from '@gatehouse/contracts'
import * as v from 'valibot'
import { PageQuery } from './page.ts'

const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(128))

const common = {
  ...PageQuery.entries,
  agentGroupID: v.optional(AgentGroupID),
  kind: v.optional(Kind),
  principal: v.optional(Name),
  since: v.optional(Time),
  until: v.optional(Time),
}

export const PendingQuery = v.strictObject({ ...common, requestedBy: v.optional(Requester) })
export const HistoryQuery = v.strictObject({ ...PendingQuery.entries, state: v.optional(ChangeState) })
export const AuditQuery = v.strictObject({ ...common, stage: v.optional(v.picklist(auditStages)), changeID: v.optional(ChangeID) })

/** A list that the gateway gives whole, by group. */
export const GroupQuery = v.strictObject({ ...PageQuery.entries, agentGroupID: v.optional(AgentGroupID) })
