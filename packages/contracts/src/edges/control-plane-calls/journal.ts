// The journal as people read it: whole lines by filter, and the bare news of each line as it comes.
import * as v from 'valibot'
import { AuditEntry, AuditHead, AuditVerdict } from '../../change.ts'
import { Kind } from '../../kinds/kinds.ts'
import { limits } from '../../limits.ts'
import { call } from '../edge.ts'
import { listOf, ofGroup, page, presented, reading, span } from './presented.ts'

export const AuditFilter = {
  ...ofGroup,
  ...span,
  stage: v.optional(v.string()),
  principal: v.optional(v.string()),
  changeID: v.optional(v.string()),
  kind: v.optional(Kind),
}

/** A line of the journal without its detail. `seq` is the id under which a stream of events resumes. */
export const News = v.strictObject({
  seq: v.number(),
  time: v.string(),
  stage: v.string(),
  principal: v.string(),
  by: v.optional(v.string()),
  changeID: v.optional(v.string()),
  kind: v.optional(v.string()),
  agentGroupID: v.optional(v.string()),
})
export type News = v.InferOutput<typeof News>

export const journalCalls = {
  audit: call(v.strictObject({ ...presented, ...page, ...AuditFilter }), listOf(AuditEntry), reading),
  auditHead: call(v.strictObject({ ...presented }), AuditHead, reading),
  /** Reads all of it. */
  auditVerify: call(v.strictObject({ ...presented }), AuditVerdict, { patient: true, deadline: limits.journalCheckTime }),
  /**
   * What came after line `after`, oldest first, at most `limit`. `head` is the last line there is, `upTo` the last one that
   * was looked at: an answer may be short, or empty, while more is to come behind it.
   */
  news: call(
    v.strictObject({ ...presented, after: v.number(), limit: v.number() }),
    v.strictObject({ items: v.array(News), head: v.number(), upTo: v.number() }),
    reading,
  ),
}
