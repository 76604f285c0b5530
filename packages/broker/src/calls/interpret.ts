// Reads what a server answered: content blocks pass as they are, also those of kinds that nobody here knows.
import type { ToolResult } from '@gatehouse/contracts'
import type { ToolAddress } from '../names/exposed-name.ts'
import type { Answer } from '../upstream/upstream.ts'
import { failed, type Outcome } from './outcome.ts'
import { refuse } from './refuse.ts'

type Block = Record<string, unknown>

const isObject = (value: unknown): value is Block => typeof value === 'object' && value !== null && !Array.isArray(value)

const blocks = (content: unknown): Block[] => (Array.isArray(content) ? content.filter(isObject) : [])

/** Absent in older revisions, where every result is complete. */
const isComplete = (type: unknown): boolean => type === undefined || type === 'complete'

export const interpret = (address: ToolAddress, { result, scrub }: Answer): Outcome => {
  if (isObject(result) && result['resultType'] === 'input_required') return refuse(address, 'input-required-unsupported')
  if (!isObject(result) || !isComplete(result['resultType']))
    return failed(address, 'upstream-error', { message: 'the tool server did not answer as MCP asks' })
  const { content, structuredContent, isError } = result
  const read: ToolResult = {
    content: blocks(content),
    ...(structuredContent !== undefined && { structuredContent }),
    isError: isError === true,
  }
  return { address, status: read.isError ? 'error' : 'ok', result: read, scrub }
}
