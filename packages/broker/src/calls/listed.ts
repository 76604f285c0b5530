// One tool of a list as it is sent. It is written once for each definition: most lists are those of a moment ago.
import type { ListedTool, ToolDefinition } from '@gatehouse/contracts'

export interface ListedText {
  readonly name: string
  /** A `ListedTool` as JSON. */
  readonly text: string
  readonly bytes: number
}

const written = new WeakMap<ToolDefinition, ListedText & { readonly server: string }>()

export const writeListed = (name: string, server: string, definition: ToolDefinition): ListedText => {
  const known = written.get(definition)
  if (known?.name === name && known.server === server) return known
  const { description, inputSchema, outputSchema, annotations } = definition
  const tool: ListedTool = {
    name,
    server,
    tool: definition.name,
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
  const text = JSON.stringify(tool)
  const listed = { name, server, text, bytes: Buffer.byteLength(text) }
  written.set(definition, listed)
  return listed
}
