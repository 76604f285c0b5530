// Roles, principals, tokens and freezes.
import * as v from 'valibot'
import { AgentGroupID, Time } from './ids.ts'
import { Member } from './kinds/agents.ts'

/** Ascending: each role includes the permissions of the previous ones. */
export const roles = ['auditor', 'requester', 'approver', 'admin'] as const
/** The role of external MCP clients. Only this role can use the MCP endpoint. */
export const clientRole = 'client'
export const Role = v.picklist([...roles, clientRole])
export type Role = v.InferOutput<typeof Role>

/** An authenticated principal. `groups` limits what it can see and do; absent for all groups. */
export const Principal = v.strictObject({
  name: v.string(),
  role: Role,
  /** The admin whose token created this one; absent if the principal is its own person. */
  person: v.optional(v.string()),
  groups: v.optional(v.array(AgentGroupID)),
  /** When its token expires and its connections are closed. */
  expiresAt: v.optional(Time),
})
export type Principal = v.InferOutput<typeof Principal>

export const reservedPrincipals = [
  'admin',
  'agent',
  'broker',
  'channels',
  'cli',
  'control-plane',
  'dev',
  'gateway',
  'model-proxy',
  'runner',
  'session',
  'supervisor',
] as const
export const TokenName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'expected 1 to 63 of a-z, 0-9, . _ and -, the first a letter or digit'),
  v.check((name) => !reservedPrincipals.some((reserved) => reserved === name), 'this name is reserved for a part of the unit'),
)

export const NewToken = v.strictObject({
  name: TokenName,
  role: Role,
  groups: v.optional(v.pipe(v.array(AgentGroupID), v.minLength(1), v.maxLength(256))),
  /** Channel users whose decisions count as decisions of this principal. */
  identities: v.optional(v.pipe(v.array(Member), v.maxLength(64))),
  expiresAt: v.optional(Time),
})
export type NewToken = v.InferOutput<typeof NewToken>

export const Token = v.strictObject({
  ...NewToken.entries,
  createdAt: Time,
  /** The principal that created it. */
  createdBy: v.string(),
  /** The person whose requests and approvals these count as; absent if the token is its own person. */
  person: v.optional(v.string()),
  lastUsedAt: v.optional(Time),
})
export type Token = v.InferOutput<typeof Token>

/** `token` is returned only once. */
export const MintedToken = v.strictObject({ ...Token.entries, token: v.string() })
export type MintedToken = v.InferOutput<typeof MintedToken>

export const Freeze = v.strictObject({
  /** Absent for the whole unit. */
  agentGroupID: v.optional(AgentGroupID),
  reason: v.string(),
  by: v.string(),
  at: Time,
})
export type Freeze = v.InferOutput<typeof Freeze>
