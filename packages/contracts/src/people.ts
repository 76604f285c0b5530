// Who may act: roles, tokens, and the stop that each of them may pull.
import * as v from 'valibot'
import { AgentGroupID, Time } from './ids.ts'
import { Member } from './kinds/agents.ts'

/** Ascending: each may do what those before it may. */
export const roles = ['auditor', 'requester', 'approver', 'admin'] as const
/** Of programs outside of the unit: it opens the MCP endpoint, and none of the others does. */
export const clientRole = 'client'
export const Role = v.picklist([...roles, clientRole])
export type Role = v.InferOutput<typeof Role>

/** Who proved itself. `groups` narrows all that it sees and does; absent for all groups. */
export const Principal = v.strictObject({
  name: v.string(),
  role: Role,
  /** The admin whose token created this one; absent for a person of its own. */
  person: v.optional(v.string()),
  groups: v.optional(v.array(AgentGroupID)),
  /** What is open on its token ends then. */
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
  v.check((name) => !reservedPrincipals.some((reserved) => reserved === name), 'expected a name that no part of the unit has'),
)

export const NewToken = v.strictObject({
  name: TokenName,
  role: Role,
  groups: v.optional(v.pipe(v.array(AgentGroupID), v.minLength(1), v.maxLength(256))),
  /** People of channels whose decisions count as this principal's. */
  identities: v.optional(v.pipe(v.array(Member), v.maxLength(64))),
  expiresAt: v.optional(Time),
})
export type NewToken = v.InferOutput<typeof NewToken>

export const Token = v.strictObject({
  ...NewToken.entries,
  createdAt: Time,
  /** The principal that made it. */
  createdBy: v.string(),
  /** Whose approvals and requests count as the same person's; absent where the token is a person of its own. */
  person: v.optional(v.string()),
  lastUsedAt: v.optional(Time),
})
export type Token = v.InferOutput<typeof Token>

/** `token` is shown this once. */
export const MintedToken = v.strictObject({ ...Token.entries, token: v.string() })
export type MintedToken = v.InferOutput<typeof MintedToken>

export const Freeze = v.strictObject({
  /** Absent: the whole unit. */
  agentGroupID: v.optional(AgentGroupID),
  reason: v.string(),
  by: v.string(),
  at: Time,
})
export type Freeze = v.InferOutput<typeof Freeze>
