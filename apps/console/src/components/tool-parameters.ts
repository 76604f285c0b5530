// The parameters of a tool, read from its input schema as far as they can be shown in plain terms.
import { isObject, type ToolDefinition } from '@gatehouse/contracts'

export interface Parameter {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

const typeOf = (schema: unknown): string => {
  if (!isObject(schema)) return 'anything'
  const { type, enum: values, items } = schema
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  if (type === 'array' && isObject(items)) return `list of ${typeOf(items)}`
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join(' or ')
  return 'any of several'
}

export const parametersOf = ({ inputSchema }: Pick<ToolDefinition, 'inputSchema'>): Parameter[] => {
  const { properties, required } = inputSchema
  if (!isObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    required: needed.includes(name),
    about: isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : '',
  }))
}
