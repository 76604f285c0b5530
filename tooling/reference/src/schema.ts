// JSON schemas as rows for people: the path of a field, what it is, whether it must be there, its bounds.
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { code, listed, table } from './page.ts'

export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly $ref?: string
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export type Names = Readonly<Record<string, Schema>>

/** What a schema of valibot says in JSON's words; checks that have none are left out. */
export const schemaOf = (schema: v.GenericSchema): Schema => toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' }) as Schema

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? ''

const choices = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

/** In a few words. */
export const wordsOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return code(nameOf(schema))
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum !== undefined)
    return schema.enum.length === 1 ? listed(schema.enum.map(String)) : `one of ${listed(schema.enum.map(String))}`
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : wordsOf(schema.items)}`
  const [first, ...others] = choices(schema)
  if (first !== undefined) return [first, ...others].map(wordsOf).join(', or ')
  if (schema.format === 'date-time') return 'time, RFC 3339 in UTC'
  return schema.type ?? 'anything'
}

const between = (what: string, least: number | undefined, most: number | undefined): string[] => {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${what}`]
  if (most !== undefined) return [`at most ${most}${what}`]
  return least === undefined ? [] : [`at least ${least}${what}`]
}

const boundsOf = (schema: Schema): string =>
  [
    ...between('', schema.minimum, schema.maximum),
    ...between(' characters', schema.minLength, schema.maxLength),
    ...between(' items', schema.minItems, schema.maxItems),
    ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`]),
  ].join('; ')

type Row = readonly [path: string, words: string, presence: string, bounds: string]

const rowsOf = (schema: Schema, prefix: string): Row[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]): Row[] => {
    const path = `${prefix}${name}`
    const inner = field.type === 'array' && field.items !== undefined ? field.items : field
    const suffix = inner === field ? '.' : '[].'
    const presence = schema.required?.includes(name) === true ? 'yes' : ''
    return [[code(path), wordsOf(field), presence, boundsOf(field)], ...rowsOf(inner, `${path}${suffix}`)]
  })

/** A table of all fields, one for each shape that a value may have. */
export const fieldsOf = (schema: Schema): string => {
  const shapes = [schema, ...choices(schema), ...(schema.allOf ?? [])].filter(({ properties }) => properties !== undefined)
  const tables = shapes
    .map((shape) => rowsOf(shape, ''))
    .filter((rows) => rows.length > 0)
    .map((rows) => table(['field', 'is', 'must', 'bounds'], rows))
  return tables.length === 0 ? 'An empty object.' : tables.join('\n\nor\n\n')
}
