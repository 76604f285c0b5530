// One tool of a list as it is sent. It is written once for each definition: most lists are those of a moment ago.
import type { ListedTool, ToolDefinition } from '@gatehouse/contracts'
import { type AgentDefinition, agentDefinition } from '@gatehouse/kernel'

export interface ListedText {
  readonly name: string
  /** A `ListedTool` as JSON. */
  readonly text: string
  readonly bytes: number
}

const written = new WeakMap<ToolDefinition, ListedText & { readonly server: string }>()

/** Takes nothing but what a grant pins. */
const toListed = ({ name, description, inputSchema, outputSchema, annotations }: AgentDefinition): Omit<ListedTool, 'name' | 'server'> => ({
  tool: name,
  ...(description !== '' && { description }),
  inputSchema,
  ...(outputSchema !== undefined && { outputSchema }),
  ...(Object.keys(annotations).length > 0 && { annotations }),
})

export const writeListed = (name: string, server: string, definition: ToolDefinition): ListedText => {
  const known = written.get(definition)
  if (known?.name === name && known.server === server) return known
  const tool: ListedTool = { name, server, ...toListed(agentDefinition(definition)) }
  const text = JSON.stringify(tool)
  const listed = { name, server, text, bytes: Buffer.byteLength(text) }
  written.set(definition, listed)
  return listed
}
