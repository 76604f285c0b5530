// Query parameters of lists: pages and filters.
import {
  AgentGroupID,
  auditStages,
  callOps,
  callStatuses,
  ChangeID,
  ChangeState,
  ConversationID,
  Kind,
  limits,
  ModelCallRecord,
  ModelProvider,
  Requester,
  ServiceError,
  SessionID,
  sessionStates,
  Time,
  toolErrorCodes,
} from '@gatehouse/contracts'
import * as v from 'valibot'

/** A query carries text. The number stands last, so that the document shows it. */
const digits = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'expected a whole number'), v.transform(Number), v.number(), v.integer())

export const Sequence = v.pipe(digits, v.minValue(0))
export const PageLimit = v.pipe(
  digits,
  v.minValue(1, 'expected at least 1'),
  v.maxValue(limits.pageSizeMost, `expected at most ${limits.pageSizeMost}`),
)

export const PageQuery = v.strictObject({
  limit: v.optional(PageLimit, String(limits.pageSize)),
  cursor: v.optional(
    v.pipe(v.string(), v.minLength(1, 'expected a cursor of an answer'), v.maxLength(512, 'expected a cursor of an answer')),
  ),
})
export type PageQuery = v.InferOutput<typeof PageQuery>

const encode = (key: string): string => Buffer.from(key).toString('base64url')

const decode = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (encode(key) === cursor) return key
  throw new ServiceError('invalid', {
    detail: 'expected a cursor of an earlier answer, got something else',
    errors: [{ pointer: '/cursor', detail: 'expected a cursor of an answer' }],
  })
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** `keyOf` is unique within the list; the order is that of the keys. */
export const cutPage = <T>(items: readonly T[], page: PageQuery, keyOf: (item: T) => string): { items: T[]; nextCursor?: string } => {
  const after = page.cursor === undefined ? undefined : decode(page.cursor)
  const rest = items.toSorted((a, b) => byText(keyOf(a), keyOf(b))).filter((item) => after === undefined || byText(keyOf(item), after) > 0)
  const cut = rest.slice(0, page.limit)
  const last = cut.at(-1)
  return { items: cut, ...(last !== undefined && rest.length > cut.length && { nextCursor: encode(keyOf(last)) }) }
}

/** The filters of lists as queries carry them: text, each with the form of what it filters. */
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
