// `tools.sock`: lists and calls of granted tools over plain HTTP, and their records.
import * as v from 'valibot'
import { toolErrorCodes } from '../errors.ts'
import { JsonObject } from '../json.ts'

export const ListedTool = v.strictObject({
  /** `<server>__<tool>`. */
  name: v.string(),
  server: v.string(),
  tool: v.string(),
  description: v.optional(v.string()),
  inputSchema: JsonObject,
  outputSchema: v.optional(JsonObject),
  annotations: v.optional(JsonObject),
})
export type ListedTool = v.InferOutput<typeof ListedTool>

export const ToolList = v.strictObject({ tools: v.array(ListedTool) })
export type ToolList = v.InferOutput<typeof ToolList>

export const ToolCall = v.strictObject({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  arguments: v.optional(JsonObject, {}),
})
export type ToolCall = v.InferOutput<typeof ToolCall>

export const ToolResult = v.strictObject({
  /** MCP content blocks, as the server sent them. */
  content: v.array(JsonObject),
  structuredContent: v.optional(v.unknown()),
  isError: v.boolean(),
  error: v.optional(v.strictObject({ code: v.picklist(toolErrorCodes), message: v.string(), retryAfter: v.optional(v.number()) })),
})
export type ToolResult = v.InferOutput<typeof ToolResult>

export const callOps = ['list', 'call'] as const
export const callStatuses = ['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown'] as const

/** One line of `calls.jsonl` and one log line, for each list and each call. */
export const CallRecord = v.strictObject({
  /** Id of the list or call, the same in its log line and its record. */
  id: v.string(),
  time: v.string(),
  session: v.string(),
  agentGroupID: v.nullable(v.string()),
  server: v.string(),
  tool: v.optional(v.string()),
  op: v.picklist(callOps),
  status: v.picklist(callStatuses),
  code: v.optional(v.picklist(toolErrorCodes)),
  /** Bytes of request and response on the socket. */
  bytes: v.number(),
  /** Milliseconds. */
  duration: v.number(),
})
export type CallRecord = v.InferOutput<typeof CallRecord>
