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

/** Parses the text of a query. The number is the last step, so that the document shows it. */
const digits = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a whole number'), v.transform(Number), v.number(), v.integer())

export const Sequence = v.pipe(digits, v.minValue(0))
export const PageLimit = v.pipe(
  digits,
  v.minValue(1, 'must be at least 1'),
  v.maxValue(limits.pageSizeMost, `must be at most ${limits.pageSizeMost}`),
)

export const PageQuery = v.strictObject({
  limit: v.optional(PageLimit, String(limits.pageSize)),
  cursor: v.optional(
    v.pipe(v.string(), v.minLength(1, 'must be a cursor of a response'), v.maxLength(512, 'must be a cursor of a response')),
  ),
})
export type PageQuery = v.InferOutput<typeof PageQuery>

const encode = (key: string): string => Buffer.from(key).toString('base64url')

const decode = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (encode(key) === cursor) return key
  throw new ServiceError('invalid', {
    detail: 'the cursor is not from an earlier response',
    errors: [{ pointer: '/cursor', detail: 'must be a cursor of a response' }],
  })
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** `keyOf` must be unique within the list, which is ordered by it. */
export const cutPage = <T>(items: readonly T[], page: PageQuery, keyOf: (item: T) => string): { items: T[]; nextCursor?: string } => {
  const after = page.cursor === undefined ? undefined : decode(page.cursor)
  const rest = items.toSorted((a, b) => byText(keyOf(a), keyOf(b))).filter((item) => after === undefined || byText(keyOf(item), after) > 0)
  const cut = rest.slice(0, page.limit)
  const last = cut.at(-1)
  return { items: cut, ...(last !== undefined && rest.length > cut.length && { nextCursor: encode(keyOf(last)) }) }
}

/** Filters of lists, as text in the format of the filtered field. */
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

/** A complete list of the gateway, filtered by group. */
export const GroupQuery = v.strictObject({ ...PageQuery.entries, agentGroupID: v.optional(AgentGroupID) })

export const SessionQuery = v.strictObject({
  ...GroupQuery.entries,
  cursor: v.optional(SessionID),
  session: v.optional(SessionID),
  conversation: v.optional(ConversationID),
  state: v.optional(v.picklist(sessionStates)),
})
