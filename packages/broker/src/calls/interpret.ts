// Reads what a server answered, as its caller may have it.
import { isDeeperThan, jsonBounds, limits, type ToolResult } from '@gatehouse/contracts'
import { describeJsonFault, type ToolAddress } from '@gatehouse/kernel'
import type { Answer } from '../upstream/upstream.ts'
import { type Block, cleanValue, isObject, readContent } from './content.ts'
import { failed, type Outcome } from './outcome.ts'
import { refuse } from './refuse.ts'

/** Absent in older revisions, where every result is complete. */
const isComplete = (type: unknown): boolean => type === undefined || type === 'complete'

interface Structured {
  readonly value?: unknown
  readonly notes: readonly Block[]
}

const readStructured = (value: unknown): Structured => {
  if (value === undefined) return { notes: [] }
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= limits.resultText) return { value: cleanValue(value), notes: [] }
  const text = `[left out: structured content of ${bytes} bytes; at most ${limits.resultText} are shown]`
  return { notes: [{ type: 'text', text }] }
}

export const interpret = (address: ToolAddress, { result, scrub }: Answer): Outcome => {
  if (isObject(result) && result['resultType'] === 'input_required') return refuse(address, 'input-required-unsupported')
  if (!isObject(result) || !isComplete(result['resultType']))
    return failed(address, 'upstream-error', { message: 'the tool server did not answer as MCP asks' })
  const { content, structuredContent, isError } = result
  if (isDeeperThan([content, structuredContent], limits.jsonDepth))
    return refuse(address, 'too-large', {
      excess: describeJsonFault('levels', { ...jsonBounds.upstreamMessage, levels: limits.jsonDepth }),
    })
  const { value, notes } = readStructured(structuredContent)
  const read: ToolResult = {
    content: [...readContent(content, scrub), ...notes],
    ...(value !== undefined && { structuredContent: value }),
    isError: isError === true,
  }
  return { address, status: read.isError ? 'error' : 'ok', result: read, scrub }
}
