// The tools offered to the model in one turn: enabled built-in tools and granted tools.
import { jsonSchema, type JSONSchema7, tool, type ToolSet } from 'ai'
import { type Fields, text } from '../host/fields.ts'
import { type GrantedTool, ListRefused, type ToolsClient } from '../host/tools.ts'
import type { OwnTool } from '../tools/own.ts'

/** Maximum number of tools that every provider accepts. */
const maxTools = 128
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

export type Known =
  | { readonly own: OwnTool; readonly schema: Fields }
  | { readonly granted: string; readonly tools: ToolsClient; readonly schema: Fields }

export interface Toolbox {
  readonly set: ToolSet
  /** The tools by the name that the model uses. */
  readonly known: ReadonlyMap<string, Known>
  /** A note for the model on tools that it does not see. */
  readonly remark: string
}

const hashName = (name: string): string => {
  let hash = 0
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}

/** A name that every provider accepts. A changed name ends with a hash of the original. */
const modelName = (name: string): string => {
  if (plainName.test(name)) return name
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
  return `${plain.slice(0, 56)}_${hashName(name).slice(0, 7)}`
}

/** Providers require an object at the top level. */
const toObjectSchema = (schema: Fields): Fields => (schema['type'] === 'object' ? schema : { ...schema, type: 'object' })

const toTool = (description: string, schema: Fields): ToolSet[string] =>
  tool({ description, inputSchema: jsonSchema(schema as JSONSchema7) })

const listGranted = async (tools: ToolsClient | null): Promise<{ granted: readonly GrantedTool[]; refused: string }> => {
  if (tools === null) return { granted: [], refused: '' }
  try {
    return { granted: await tools.list(), refused: '' }
  } catch (error) {
    if (error instanceof ListRefused) return { granted: [], refused: error.message }
    throw error
  }
}

interface Parts {
  readonly own: readonly OwnTool[]
  readonly tools: ToolsClient | null
  /** Maximum characters of a description. */
  readonly description: number
}

/** Lists the tools for a turn, because grants can change while the agent runs. */
export const fillToolbox = async ({ own, tools, description }: Parts): Promise<Toolbox> => {
  const { granted, refused } = await listGranted(tools)
  const set: ToolSet = {}
  const known = new Map<string, Known>()
  for (const builtin of own) {
    set[builtin.name] = toTool(builtin.description, builtin.schema)
    known.set(builtin.name, { own: builtin, schema: builtin.schema })
  }
  const omitted: string[] = []
  for (const each of granted) {
    const name = modelName(each.name)
    if (tools === null || known.has(name) || known.size >= maxTools) {
      omitted.push(each.name)
      continue
    }
    const schema = toObjectSchema(each.inputSchema)
    set[name] = toTool(each.description.slice(0, description), schema)
    known.set(name, { granted: each.name, tools, schema })
  }
  const remarks = [
    refused === '' ? '' : `The tools of tool servers are not available now: ${refused}`,
    omitted.length === 0 ? '' : `These tools are omitted because there are too many: ${omitted.slice(0, 50).join(', ')}`,
  ]
  return { set, known, remark: remarks.filter((remark) => remark !== '').join('\n') }
}

export const parseInput = (input: unknown): unknown => {
  const json = text(input)
  if (json === undefined) return input
  try {
    return JSON.parse(json)
  } catch {
    return input
  }
}
