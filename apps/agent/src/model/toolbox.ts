// The tools offered to the model in one turn: the built-in ones that are on, and those granted to the group.
import { jsonSchema, type JSONSchema7, tool, type ToolSet } from 'ai'
import { type Fields, text } from '../host/fields.ts'
import { type GrantedTool, ListRefused, type ToolsClient } from '../host/tools.ts'
import type { OwnTool } from '../tools/own.ts'

/** Some providers take no more. */
const mostTools = 128
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

export type Known =
  | { readonly own: OwnTool; readonly schema: Fields }
  | { readonly granted: string; readonly tools: ToolsClient; readonly schema: Fields }

export interface Toolbox {
  readonly set: ToolSet
  /** By the name that the model uses. */
  readonly known: ReadonlyMap<string, Known>
  /** What the model must know of tools that it does not see. */
  readonly remark: string
}

const hashOf = (name: string): string => {
  let hash = 0
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}

/** Names that every provider takes; a name that had to change ends with a mark of the true one. */
const modelName = (name: string): string => {
  if (plainName.test(name)) return name
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
  return `${plain.slice(0, 56)}_${hashOf(name).slice(0, 7)}`
}

/** Providers want an object at the top. */
const schemaOf = (schema: Fields): Fields => (schema['type'] === 'object' ? schema : { ...schema, type: 'object' })

const toTool = (description: string, schema: Fields): ToolSet[string] =>
  tool({ description, inputSchema: jsonSchema(schema as JSONSchema7) })

const listGranted = async (tools: ToolsClient | null): Promise<{ found: readonly GrantedTool[]; refused: string }> => {
  if (tools === null) return { found: [], refused: '' }
  try {
    return { found: await tools.list(), refused: '' }
  } catch (error) {
    if (error instanceof ListRefused) return { found: [], refused: error.message }
    throw error
  }
}

interface Parts {
  readonly own: readonly OwnTool[]
  readonly tools: ToolsClient | null
  /** Characters that a description may have. */
  readonly description: number
}

/** Asked for at each turn: grants come and go while an agent runs. */
export const fillToolbox = async ({ own, tools, description }: Parts): Promise<Toolbox> => {
  const { found, refused } = await listGranted(tools)
  const set: ToolSet = {}
  const known = new Map<string, Known>()
  for (const mine of own) {
    set[mine.name] = toTool(mine.description, mine.schema)
    known.set(mine.name, { own: mine, schema: mine.schema })
  }
  const left: string[] = []
  for (const granted of found) {
    const name = modelName(granted.name)
    if (tools === null || known.has(name) || known.size >= mostTools) {
      left.push(granted.name)
      continue
    }
    const schema = schemaOf(granted.inputSchema)
    set[name] = toTool(granted.description.slice(0, description), schema)
    known.set(name, { granted: granted.name, tools, schema })
  }
  const remarks = [
    refused === '' ? '' : `The tools of tool servers are not there now: ${refused}`,
    left.length === 0 ? '' : `There is no room for these tools: ${left.slice(0, 50).join(', ')}`,
  ]
  return { set, known, remark: remarks.filter((remark) => remark !== '').join('\n') }
}

export const inputOf = (input: unknown): unknown => {
  const json = text(input)
  if (json === undefined) return input
  try {
    return JSON.parse(json)
  } catch {
    return input
  }
}
