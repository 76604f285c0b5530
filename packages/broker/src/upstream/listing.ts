// Reads the whole list of a server's tools, page by page and within bounds. A bad tool is left out, never the whole list.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { limits, type ToolDefinition } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Scrub } from '../secrets/scrub.ts'
import { hasUsableMarks } from './argument-headers.ts'
import { judge, ToolPage } from './definitions.ts'
import { UpstreamFailure } from './failure.ts'
import type { Requests } from './requests.ts'

export interface Listed {
  readonly tools: readonly ToolDefinition[]
  /** Tools that were left out: not as MCP describes them, or under a name that another has. */
  readonly dropped: number
  /** The shortest time for which a page says that it may be kept, in milliseconds. */
  readonly ttl?: number
}

interface Source {
  readonly requests: Requests
  readonly scrub: Scrub
  /** Arguments travel in headers too. */
  readonly mirrorsArguments: boolean
}

async function* pages({ requests }: Source, signal: AbortSignal): AsyncGenerator<v.InferOutput<typeof ToolPage>> {
  const seen = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    if (seen.size >= limits.listPages || seen.has(cursor)) throw new UpstreamFailure('endless-list')
    seen.add(cursor)
    if (seen.size > quickPages) await pause(rest)
    const page = v.safeParse(ToolPage, await requests.send('tools/list', cursor === undefined ? {} : { cursor }, signal))
    if (!page.success) throw new UpstreamFailure('protocol')
    yield page.output
    cursor = page.output.nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Pages that are read without a rest. */
const quickPages = 8
/** Tools that are judged in one turn of the event loop: a long list keeps nobody's call waiting. */
const inOneTurn = 4
/** Tools of a list of the usual length; longer ones are judged with a rest after each turn. */
const quickTools = 256
/** Milliseconds. */
const rest = 5

const shorter = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined || (b ?? a) < a ? b : a)

export const listTools = async (source: Source, signal: AbortSignal): Promise<Listed> => {
  const tools = new Map<string, ToolDefinition>()
  let dropped = 0
  let bytes = 0
  let ttl: number | undefined
  for await (const page of pages(source, signal)) {
    ttl = shorter(ttl, page.ttlMs)
    if (tools.size + dropped + page.tools.length > limits.listTools) throw new UpstreamFailure('too-large')
    for (const [at, value] of page.tools.entries()) {
      if (at % inOneTurn === inOneTurn - 1) await (tools.size < quickTools ? nextTurn() : pause(rest))
      const judged = judge(value)
      if (judged === null || tools.has(judged.tool.name) || (source.mirrorsArguments && !hasUsableMarks(judged.tool.inputSchema))) {
        dropped += 1
        continue
      }
      bytes += judged.bytes
      // The name is what a grant names, whatever values the entry has.
      tools.set(judged.tool.name, { ...source.scrub.json(judged.tool), name: judged.tool.name })
      if (bytes > limits.listBytes) throw new UpstreamFailure('too-large')
    }
  }
  return { tools: [...tools.values()], dropped, ...(ttl !== undefined && { ttl }) }
}
