// One page of `tools/list` as any server may send it, and one tool, judged by itself.
import { isDeeperThan, limits, ToolDefinition, usableName } from '@gatehouse/contracts'
import * as v from 'valibot'
import { digestOf } from './digest-of.ts'

const plainObject = v.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

/** Visible ASCII: what a person, a log and an HTTP header can carry; and what a record of pins can hold. */
const name = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,128}$/), usableName)

/** Unknown members are left out, schemas pass as they are. */
const Declared = v.object({
  ...ToolDefinition.entries,
  name,
  inputSchema: plainObject,
  outputSchema: v.optional(plainObject),
  annotations: v.optional(plainObject),
})

/** An empty cursor is one; a cursor that is null is none. */
export const ToolPage = v.object({
  tools: v.array(v.unknown()),
  nextCursor: v.nullish(v.string()),
  /** What is no time is none. */
  ttlMs: v.fallback(v.optional(v.pipe(v.number(), v.minValue(1))), undefined),
})

export interface Judged {
  readonly tool: ToolDefinition
  readonly bytes: number
}

/** Null for a tool that is not as MCP describes one, or that is too deep or too broken to be written again and pinned. */
export const judge = (value: unknown): Judged | null => {
  const parsed = v.safeParse(Declared, value)
  if (!parsed.success || isDeeperThan(parsed.output, limits.jsonDepth)) return null
  try {
    const bytes = Buffer.byteLength(JSON.stringify(parsed.output))
    digestOf(parsed.output)
    return bytes > limits.listBytes ? null : { tool: parsed.output, bytes }
  } catch {
    return null
  }
}
