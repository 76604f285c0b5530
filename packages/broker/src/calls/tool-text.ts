// Tools and lists of tools as they are sent. A tool is serialized once for each definition, and the last few lists are kept as bytes:
// most lists repeat an earlier one, and the sessions of a group have the same.
import type { ListedTool, ToolDefinition } from '@gatehouse/contracts'
import { agentDefinition, type AgentDefinition } from '@gatehouse/kernel'

export interface ToolText {
  readonly name: string
  readonly tool: ListedTool
  /** The same as JSON. */
  readonly text: string
  readonly bytes: number
}

const toolTexts = new WeakMap<ToolDefinition, ToolText & { readonly server: string }>()

/** Takes only the fields that a grant pins. */
const toListed = ({ name, description, inputSchema, outputSchema, annotations }: AgentDefinition): Omit<ListedTool, 'name' | 'server'> => ({
  tool: name,
  ...(description !== '' && { description }),
  inputSchema,
  ...(outputSchema !== undefined && { outputSchema }),
  ...(Object.keys(annotations).length > 0 && { annotations }),
})

export const writeTool = (name: string, server: string, definition: ToolDefinition): ToolText => {
  const known = toolTexts.get(definition)
  if (known?.name === name && known.server === server) return known
  const tool: ListedTool = { name, server, ...toListed(agentDefinition(definition)) }
  const text = JSON.stringify(tool)
  const listed = { name, server, tool, text, bytes: Buffer.byteLength(text) }
  toolTexts.set(definition, listed)
  return listed
}

const maxLists = 4
/** Bytes of the largest list that is kept. */
const maxListBytes = 1024 * 1024

interface WrittenList {
  readonly tools: readonly ToolText[]
  /** A `ToolList` as JSON. */
  readonly bytes: Buffer
}

const isSame = (one: readonly ToolText[], other: readonly ToolText[]): boolean =>
  one.length === other.length && one.every((tool, at) => tool === other[at])

const writeList = (tools: readonly ToolText[]): WrittenList => {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { tools, bytes: Buffer.from(`{"tools":[${sorted.map(({ text }) => text).join()}]}`) }
}

export const createListWriter = (): ((tools: readonly ToolText[]) => Buffer) => {
  let kept: readonly WrittenList[] = []
  return (tools) => {
    const known = kept.find((one) => isSame(one.tools, tools))
    const written = known ?? writeList(tools)
    if (written.bytes.length <= maxListBytes) kept = [written, ...kept.filter((one) => one !== known)].slice(0, maxLists)
    return written.bytes
  }
}
