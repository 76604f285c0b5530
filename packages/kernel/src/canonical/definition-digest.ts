// The part of a tool definition that an agent can be handed. `GET /tools` is built from it and a grant pins its digest, so that
// nothing is handed out that is not pinned. It counts as it stands, white space included.
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import { digestOf } from './canonical.ts'

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
