// Branded id types. Only the creator of an id and the parsers at the boundary produce them.
import * as v from 'valibot'
import { usableName } from './json.ts'

/** `chg_<UTC time in nanoseconds>`, created only by the gateway. */
export const ChangeID = v.pipe(v.string(), v.regex(/^chg_\d{14}\.\d{9}$/, 'expected chg_<timestamp>'), v.brand('ChangeID'))
export type ChangeID = v.InferOutput<typeof ChangeID>

const groupPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/
export const AgentGroupID = v.pipe(
  v.string(),
  v.regex(groupPattern, 'expected 1 to 63 of a-z, 0-9, - and _, the first a letter or digit'),
  v.brand('AgentGroupID'),
)
export type AgentGroupID = v.InferOutput<typeof AgentGroupID>

/** 13 characters of base32: short, because socket paths are limited. */
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

/** Data of a server with separate sessions is stored under `<name>.<session>`, so no server may have such a name. */
const endsAsSession = /\.ses_[a-z2-7]{13}$/i

/**
 * Name of a tool server, without `__`, which separates it from the tool's name. Names are case-insensitive: the gateway uses the
 * spelling under which a name was first saved.
 */
export const ServerName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, -, _ and ., the first a letter or digit'),
  v.check((name) => !name.includes('__'), 'expected a name without "__"'),
  v.check((name) => !endsAsSession.test(name), 'expected a name that does not end with a session id'),
  usableName,
  v.brand('ServerName'),
)
export type ServerName = v.InferOutput<typeof ServerName>

/** Compares server names without case. */
export const isSameServer = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Lower-case hex SHA-256. */
export const Digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'), v.brand('Digest'))
export type Digest = v.InferOutput<typeof Digest>

const momentForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/
const momentText = 'expected a valid UTC time such as 2026-01-31T09:30:00Z or 2026-01-31T09:30:00.000Z'

/** Refuses days and hours that do not exist, which a parser would shift. */
const exists = (text: string): boolean => {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 19))
}

/** RFC 3339 in UTC, with seconds or milliseconds. */
export const Time = v.config(v.pipe(v.string(), v.regex(momentForm, momentText), v.isoTimestamp(momentText), v.check(exists, momentText)), {
  abortPipeEarly: true,
})
