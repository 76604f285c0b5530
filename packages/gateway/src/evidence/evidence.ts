// What an approver must see of a tool server: its own declarations, as its witness reported them.
import { Digest, ServerName, Time, ToolDefinition } from '@gatehouse/contracts'
import * as v from 'valibot'

/** The tool server whose declarations an approver must see. */
export interface Wanted {
  readonly server: ServerName
  /** Empty: all that it declares. */
  readonly tools: readonly string[]
}

const seen = {
  server: ServerName,
  entryDigest: Digest,
  at: Time,
  /** Seconds between the observation and the change. */
  age: v.number(),
  /** Tools asked for that the server did not declare. */
  missing: v.array(v.string()),
}

export const Evidence = v.variant('status', [
  v.strictObject({ status: v.literal('observed'), ...seen, tools: v.array(ToolDefinition) }),
  /** More than `limits.evidence`: the names, and the digest of the definitions. */
  v.strictObject({ status: v.literal('too-large'), ...seen, names: v.array(v.string()), definitions: Digest }),
  v.strictObject({ status: v.literal('unavailable'), server: ServerName }),
])
export type Evidence = v.InferOutput<typeof Evidence>
