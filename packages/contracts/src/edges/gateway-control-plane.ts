// Calls of people and clients, through the control plane. The caller is identified by the digest of its token, never by a name.
import * as v from 'valibot'
import { AuditEntry, AuditHead, AuditVerdict, Reason, Submitted } from '../change.ts'
import { call, defineEdge, keeping, listOf, ofGroup, page, presented, reading, span } from '../edge.ts'
import { PutFile, RemovedFile } from '../files.ts'
import { AgentGroupID, ChangeID, Digest, SessionID } from '../ids.ts'
import { Kind } from '../kinds/kinds.ts'
import { limits } from '../limits.ts'
import { Freeze, MintedToken, NewToken, Principal, Token, TokenName } from '../people.ts'
import { ChangeAnswer } from '../sandbox/session.ts'
import { changeCalls } from './change-calls.ts'
import { registryCalls } from './registry-calls.ts'

const AuditFilter = {
  ...ofGroup,
  ...span,
  stage: v.optional(v.string()),
  principal: v.optional(v.string()),
  changeID: v.optional(v.string()),
  kind: v.optional(Kind),
}

/** A journal record without its detail. `seq` is the id from which an event stream resumes. */
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
  /** Verifies the whole journal. */
  auditVerify: call(v.strictObject({ ...presented }), AuditVerdict, { patient: true, deadline: limits.journalCheckTime }),
  /**
   * Records after `after`, oldest first, at most `limit`. `head` is the last record, `upTo` the last one that was read: an
   * answer may be short or empty although more records follow.
   */
  news: call(
    v.strictObject({ ...presented, after: v.number(), limit: v.number() }),
    v.strictObject({ items: v.array(News), head: v.number(), upTo: v.number() }),
    reading,
  ),
}

/** Routes that another process serves after the gateway authorized the request. */
export const permitRoutes = [
  'chat',
  'probe',
  'status',
  'metrics',
  'calls',
  'sessions',
  'models',
  'model-calls',
  'channels',
  'events',
  'cancel',
  'resume',
  'logs',
  'files',
  'files-put',
  'files-remove',
  'purge',
  'backup',
  'mcp',
  'server-login',
] as const
export type PermitRoute = (typeof permitRoutes)[number]

const WrittenReason = v.pipe(Reason, v.minLength(1, 'a reason is required'))

export const peopleCalls = {
  /** Authorizes a request that another process serves. Requests that change something are journaled. */
  permit: call(
    v.strictObject({
      ...presented,
      route: v.picklist(permitRoutes),
      agentGroupID: v.optional(AgentGroupID),
      session: v.optional(SessionID),
      /** The file of `files-put` and `files-remove`. */
      file: v.optional(v.union([PutFile, RemovedFile])),
    }),
    Principal,
    { patient: true },
  ),
  /** Closes a session, and denies everything to it at once. The runner ends its sandbox. */
  terminate: call(v.strictObject({ ...presented, session: SessionID, reason: v.optional(Reason) }), v.strictObject(keeping), {
    patient: true,
  }),
  tokens: call(v.strictObject({ ...presented }), listOf(Token), reading),
  createToken: call(v.strictObject({ ...presented, wanted: NewToken }), MintedToken, { patient: true }),
  revokeToken: call(v.strictObject({ ...presented, name: TokenName }), v.strictObject(keeping), { patient: true }),
  freezes: call(v.strictObject({ ...presented }), listOf(Freeze), reading),
  freeze: call(v.strictObject({ ...presented, ...ofGroup, reason: WrittenReason }), v.strictObject({ ...Freeze.entries, ...keeping }), {
    patient: true,
  }),
  unfreeze: call(v.strictObject({ ...presented, ...ofGroup, reason: WrittenReason }), v.strictObject({}), { patient: true }),
}

/** Requests of external MCP clients. The token determines the group. */
export const clientCalls = {
  clientSubmit: call(v.strictObject({ ...presented, kind: v.string(), after: v.unknown(), reason: v.optional(v.string()) }), Submitted, {
    patient: true,
    large: true,
    deadline: limits.submitTime,
  }),
  /** A change of the client's group. Throws `not-found` for other changes. */
  clientChange: call(v.strictObject({ ...presented, id: ChangeID }), ChangeAnswer, { patient: true }),
  clientWithdraw: call(v.strictObject({ ...presented, id: ChangeID, reason: v.optional(Reason) }), ChangeAnswer, { patient: true }),
}

export const gatewayControlPlane = defineEdge({
  server: 'gateway',
  caller: 'control-plane',
  calls: { ...peopleCalls, ...clientCalls, ...changeCalls, ...registryCalls, ...journalCalls },
  events: {
    /** New records, in order. */
    news: v.strictObject({ items: v.array(News) }),
    /** Connections that use this token are closed. */
    'token-revoked': v.strictObject({ token: Digest }),
  },
})
