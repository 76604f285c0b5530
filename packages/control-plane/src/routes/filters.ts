// The filters of lists as queries carry them: text, each with the form of what it filters.
import {
  AgentGroupID,
  auditStages,
  callOps,
  callStatuses,
  ChangeID,
  ChangeState,
  ConversationID,
  Kind,
  ModelCallRecord,
  ModelProvider,
  Requester,
  SessionID,
  sessionStates,
  Time,
  toolErrorCodes,
} from '@gatehouse/contracts'
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

export const CallQuery = v.strictObject({
  ...PageQuery.entries,
  agentGroupID: common.agentGroupID,
  since: common.since,
  until: common.until,
  session: v.optional(SessionID),
  server: v.optional(Name),
  tool: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(256))),
  op: v.optional(v.picklist(callOps)),
  status: v.optional(v.picklist(callStatuses)),
  code: v.optional(v.picklist(toolErrorCodes)),
})

export const ModelCallQuery = v.strictObject({
  ...PageQuery.entries,
  agentGroupID: v.optional(AgentGroupID),
  session: v.optional(SessionID),
  provider: v.optional(ModelProvider),
  outcome: v.optional(ModelCallRecord.entries.outcome),
  since: v.optional(Time),
  until: v.optional(Time),
})

/** A list that the gateway gives whole, by group. */
export const GroupQuery = v.strictObject({ ...PageQuery.entries, agentGroupID: v.optional(AgentGroupID) })

export const SessionQuery = v.strictObject({
  ...GroupQuery.entries,
  cursor: v.optional(SessionID),
  session: v.optional(SessionID),
  conversation: v.optional(ConversationID),
  state: v.optional(v.picklist(sessionStates)),
})
