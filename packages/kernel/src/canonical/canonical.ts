// Canonical JSON (RFC 8785): the one text of a value that digests are made over.
import { hash, hkdfSync } from 'node:crypto'
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import canonicalize from 'canonicalize'

/** A string is hashed as UTF-8. */
export const sha256 = (data: string | Uint8Array): Digest => hash('sha256', data, 'hex') as Digest

/** Throws for text with a lone surrogate, which has no canonical form. */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('expected a JSON value')
  return text
}

/** Over its canonical text. Throws as `canonical` does. */
export const digestOf = (value: unknown): Digest => sha256(canonical(value))

/** HKDF-SHA256 (RFC 5869), 32 bytes: the purpose is the info, the epoch the salt. */
export const deriveKey = (master: Buffer, purpose: string, epoch = 1): Buffer =>
  Buffer.from(hkdfSync('sha256', master, `gatehouse epoch ${epoch}`, `gatehouse ${purpose}`, 32))

/** An empty description and empty annotations say as much as none. */
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

/** Throws for text with a lone surrogate. */
export const definitionDigest = (tool: ToolDefinition): Digest => digestOf(agentDefinition(tool))
