// What a tool is, for those who approve it: name, description, input schema, annotations. White space and title do not count.
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import { canonical } from './canonical.ts'
import { sha256 } from './sha256.ts'

const squeeze = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()

/** Descriptions may be laid out anew; every other text counts as it stands. */
const laidOut = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(laidOut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === 'description' && typeof item === 'string' ? squeeze(item) : laidOut(item)]),
  )
}

/** Throws for text with a lone surrogate. */
export const definitionDigest = ({ name, description, inputSchema, annotations }: ToolDefinition): Digest => {
  const { title: _title, ...hints } = annotations ?? {}
  return sha256(canonical(laidOut({ name, description: description ?? '', inputSchema, annotations: hints })))
}
