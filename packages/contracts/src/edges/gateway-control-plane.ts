// The only door through which people decide. Who asks is the digest of the presented token, never a name.
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

/** The journal as people read it: whole lines by filter, and the bare news of each line as it comes. */
const AuditFilter = {
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

/** Routes that end elsewhere than at the gateway and ask it first. */
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
] as const
export type PermitRoute = (typeof permitRoutes)[number]

const WrittenReason = v.pipe(Reason, v.minLength(1, 'expected a reason'))

export const peopleCalls = {
  /** What changes something is journaled here, where it is known who asks. */
  permit: call(
    v.strictObject({
      ...presented,
      route: v.picklist(permitRoutes),
      agentGroupID: v.optional(AgentGroupID),
      session: v.optional(SessionID),
      /** What `files-put` and `files-remove` are about. */
      file: v.optional(v.union([PutFile, RemovedFile])),
    }),
    Principal,
    { patient: true },
  ),
  /** Closes a session: from then on nothing is allowed to it. Its sandbox is the runner's to end. */
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

/** What a client outside of a sandbox asks for itself. The token says whose client it is. */
export const clientCalls = {
  clientSubmit: call(v.strictObject({ ...presented, kind: v.string(), after: v.unknown(), reason: v.optional(v.string()) }), Submitted, {
    patient: true,
    large: true,
    deadline: limits.submitTime,
  }),
  /** A change of the client's own group, else `not-found`. */
  clientChange: call(v.strictObject({ ...presented, id: ChangeID }), ChangeAnswer, { patient: true }),
  clientWithdraw: call(v.strictObject({ ...presented, id: ChangeID, reason: v.optional(Reason) }), ChangeAnswer, { patient: true }),
}

export const gatewayControlPlane = defineEdge({
  server: 'gateway',
  caller: 'control-plane',
  calls: { ...peopleCalls, ...clientCalls, ...changeCalls, ...registryCalls, ...journalCalls },
  events: {
    /** Lines that were written just now, in their order. */
    news: v.strictObject({ items: v.array(News) }),
    /** What is open on this token ends. */
    'token-revoked': v.strictObject({ token: Digest }),
  },
})
