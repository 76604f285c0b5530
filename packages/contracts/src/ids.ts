// Ids are branded strings; only their makers and the parsers at the border make them.
import * as v from 'valibot'

/** `chg_<UTC time to the nanosecond>`, made by the gateway alone. */
export const ChangeID = v.pipe(v.string(), v.regex(/^chg_\d{14}\.\d{9}$/, 'expected chg_<timestamp>'), v.brand('ChangeID'))
export type ChangeID = v.InferOutput<typeof ChangeID>

export const groupPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/
export const AgentGroupID = v.pipe(
  v.string(),
  v.regex(groupPattern, 'expected 1 to 63 of a-z, 0-9, - and _, the first a letter or digit'),
  v.brand('AgentGroupID'),
)
export type AgentGroupID = v.InferOutput<typeof AgentGroupID>

/** 13 characters of base32: short, since socket paths are. */
export const SessionID = v.pipe(v.string(), v.regex(/^ses_[a-z2-7]{13}$/, 'expected ses_<id>'), v.brand('SessionID'))
export type SessionID = v.InferOutput<typeof SessionID>

export const ConversationID = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._:@-]{1,128}$/, 'expected 1 to 128 of A-Z a-z 0-9 . _ : @ -'),
  v.brand('ConversationID'),
)
export type ConversationID = v.InferOutput<typeof ConversationID>

export const MessageID = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._-]{1,128}$/, 'expected 1 to 128 of A-Z a-z 0-9 . _ -'),
  v.brand('MessageID'),
)
export type MessageID = v.InferOutput<typeof MessageID>

/** Label of a tool server: no `__`, which separates it from the tool's name. */
export const ServerName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'expected 1 to 32 of a-z, 0-9, - and _, the first a letter or digit'),
  v.check((name) => !name.includes('__'), 'expected a name without "__"'),
  v.brand('ServerName'),
)
export type ServerName = v.InferOutput<typeof ServerName>

/** Lower-case hex SHA-256. */
export const Digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'), v.brand('Digest'))
export type Digest = v.InferOutput<typeof Digest>

/** RFC 3339 in UTC with milliseconds. */
export const Time = v.pipe(v.string(), v.isoTimestamp())
