// Canonical JSON (RFC 8785) and the digests and keys derived from it. Pure functions; the results are stable across releases.
import { hash, hkdfSync } from 'node:crypto'
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import canonicalize from 'canonicalize'

/** SHA-256 in lowercase hex. A string is hashed as UTF-8. */
export const sha256 = (data: string | Uint8Array): Digest => hash('sha256', data, 'hex') as Digest

/** The canonical text of a JSON value. Throws for text with a lone surrogate, which has no canonical form. */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  return text
}

/** The digest of the value's canonical text. Throws as `canonical` does. */
export const digestOf = (value: unknown): Digest => sha256(canonical(value))

/** HKDF-SHA256 (RFC 5869), 32 bytes: the purpose is the info, the epoch the salt. */
export const deriveKey = (master: Buffer, purpose: string, epoch = 1): Buffer =>
  Buffer.from(hkdfSync('sha256', master, `gatehouse epoch ${epoch}`, `gatehouse ${purpose}`, 32))

/** The part of a tool definition that agents see. A missing description or missing annotations equal empty ones. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: ToolDefinition['inputSchema']
  readonly outputSchema?: ToolDefinition['outputSchema']
  readonly annotations: NonNullable<ToolDefinition['annotations']>
}

export const agentDefinition = ({ name, description, inputSchema, outputSchema, annotations }: ToolDefinition): AgentDefinition => ({
  name,
  description: description ?? '',
  inputSchema,
  ...(outputSchema === undefined ? {} : { outputSchema }),
  annotations: annotations ?? {},
})

/** The digest of what an agent sees of a tool. Throws for text with a lone surrogate. */
export const definitionDigest = (tool: ToolDefinition): Digest => digestOf(agentDefinition(tool))
