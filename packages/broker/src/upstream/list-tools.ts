// Reads the whole list of a server's tools, page by page and within bounds. A bad tool is left out, never the whole list.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Digest, isDeeperThan, limits, ToolDefinition, usableName } from '@gatehouse/contracts'
import { canonical, definitionDigest } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Redactor } from '../secrets/redact.ts'
import { hasUsableMarks } from './argument-headers.ts'
import { UpstreamFailure } from './base/failure.ts'
import type { Requests } from './requests.ts'

const digests = new WeakMap<ToolDefinition, Digest>()

/** Throws for text with a lone surrogate, anywhere in the definition: nobody could be shown it as it is. */
const buildDigest = (tool: ToolDefinition): Digest => {
  canonical(tool)
  return definitionDigest(tool)
}

/** The digest that a grant pins, computed once for each definition of each listing. */
export const getDefinitionDigest = (tool: ToolDefinition): Digest => {
  const digest = digests.get(tool) ?? buildDigest(tool)
  digests.set(tool, digest)
  return digest
}

const plainObject = v.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

/** Visible ASCII: what a person, a log and an HTTP header can carry; and what a record of pins can hold. */
const toolName = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,128}$/), usableName)

/** One tool. Unknown members are left out; schemas pass unchanged. */
const Declared = v.object({
  ...ToolDefinition.entries,
  name: toolName,
  inputSchema: plainObject,
  outputSchema: v.optional(plainObject),
  annotations: v.optional(plainObject),
})

/** One page. An empty cursor is a cursor; null is none. */
const ToolPage = v.object({
  tools: v.array(v.unknown()),
  nextCursor: v.nullish(v.string()),
  /** Anything but a time counts as absent. */
  ttlMs: v.fallback(v.optional(v.pipe(v.number(), v.minValue(1))), undefined),
})

export interface ParsedTool {
  readonly tool: ToolDefinition
  readonly bytes: number
}

/** Null for a tool that does not match the MCP schema, or that is too deep or too broken to be written and pinned. */
const parseTool = (value: unknown): ParsedTool | null => {
  const parsed = v.safeParse(Declared, value)
  if (!parsed.success || isDeeperThan(parsed.output, limits.jsonDepth)) return null
  try {
    const bytes = Buffer.byteLength(JSON.stringify(parsed.output))
    getDefinitionDigest(parsed.output)
    return bytes > limits.listBytes ? null : { tool: parsed.output, bytes }
  } catch {
    return null
  }
}

export interface ToolListing {
  readonly tools: readonly ToolDefinition[]
  /** Tools that were left out: not as MCP describes them, or under a name that another has. */
  readonly dropped: number
  /** The shortest time for which a page says that it may be kept, in milliseconds. */
  readonly ttl?: number
}

interface Source {
  readonly requests: Requests
  readonly redactor: Redactor
  /** Arguments travel in headers too. */
  readonly mirrorsArguments: boolean
}

async function* pages({ requests }: Source, signal: AbortSignal): AsyncGenerator<v.InferOutput<typeof ToolPage>> {
  const seen = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    if (seen.size >= limits.listPages || seen.has(cursor)) throw new UpstreamFailure('endless-list')
    seen.add(cursor)
    if (seen.size > quickPages) await pause(restTime)
    const page = v.safeParse(ToolPage, await requests.send('tools/list', cursor === undefined ? {} : { cursor }, signal))
    if (!page.success) throw new UpstreamFailure('protocol')
    yield page.output
    cursor = page.output.nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Pages that are read without a rest. */
const quickPages = 8
/** Tools that are parsed in one turn of the event loop, so that a long list delays no call. */
const toolsPerTurn = 4
/** Tools of a list of ordinary length; longer lists are parsed with a rest after each turn. */
const quickTools = 256
/** Milliseconds. */
const restTime = 5

const minTtl = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined || (b ?? a) < a ? b : a)

export const listTools = async (source: Source, signal: AbortSignal): Promise<ToolListing> => {
  const tools = new Map<string, ToolDefinition>()
  let dropped = 0
  let bytes = 0
  let ttl: number | undefined
  for await (const page of pages(source, signal)) {
    ttl = minTtl(ttl, page.ttlMs)
    if (tools.size + dropped + page.tools.length > limits.listTools) throw new UpstreamFailure('too-large')
    for (const [at, value] of page.tools.entries()) {
      if (at % toolsPerTurn === toolsPerTurn - 1) await (tools.size < quickTools ? nextTurn() : pause(restTime))
      const parsed = parseTool(value)
      if (parsed === null || tools.has(parsed.tool.name) || (source.mirrorsArguments && !hasUsableMarks(parsed.tool.inputSchema))) {
        dropped += 1
        continue
      }
      bytes += parsed.bytes
      // The name is what a grant names, whatever values the entry has.
      tools.set(parsed.tool.name, { ...source.redactor.json(parsed.tool), name: parsed.tool.name })
      if (bytes > limits.listBytes) throw new UpstreamFailure('too-large')
    }
  }
  return { tools: [...tools.values()], dropped, ...(ttl !== undefined && { ttl }) }
}
