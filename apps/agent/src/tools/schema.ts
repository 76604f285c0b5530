// Validates tool arguments against a subset of JSON Schema. Unknown keywords are ignored, because the server validates again.
// Patterns are ignored, because a malicious one could block the agent.
import { type Fields, fields, list, text } from '../host/fields.ts'

/** Maximum depth that is validated. */
const maxDepth = 32

interface Walk {
  readonly root: Fields
  readonly path: string
  readonly depth: number
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return typeof value
}

const isOfType = (value: unknown, expected: string): boolean => {
  const type = typeOf(value)
  return type === expected || (expected === 'number' && type === 'integer')
}

const into = (walk: Walk, name: string): Walk => ({
  ...walk,
  path: walk.path === '' ? name : `${walk.path}.${name}`,
  depth: walk.depth + 1,
})

const at = ({ path }: Walk): string => (path === '' ? 'the arguments' : path)

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const readTypes = (schema: Fields): string[] => {
  const one = text(schema['type'])
  return one === undefined ? list(schema['type']).flatMap((type) => text(type) ?? []) : [one]
}

const checkObject = (schema: Fields, value: Fields, walk: Walk): string[] => {
  const properties = fields(schema['properties'])
  const missing = list(schema['required']).flatMap((name) => {
    const required = text(name)
    return required === undefined || Object.hasOwn(value, required) ? [] : [`${at(walk)}: ${required} is missing`]
  })
  const nested = Object.entries(value).flatMap(([name, entry]) => {
    if (Object.hasOwn(properties, name)) return check(properties[name], entry, into(walk, name))
    if (schema['additionalProperties'] === false && schema['patternProperties'] === undefined)
      return [`${at(walk)}: expected ${Object.keys(properties).join(', ') || 'nothing'}, got ${name}`]
    return typeof schema['additionalProperties'] === 'object' ? check(schema['additionalProperties'], entry, into(walk, name)) : []
  })
  return [...missing, ...nested]
}

const within = (schema: Fields, size: number, { low: lowKey, high: highKey }: { low: string; high: string }): boolean => {
  const [low, high] = [schema[lowKey], schema[highKey]]
  return !(typeof low === 'number' && size < low) && !(typeof high === 'number' && size > high)
}

const range = (schema: Fields, { low: lowKey, high: highKey }: { low: string; high: string }): string => {
  const [low, high] = [schema[lowKey], schema[highKey]]
  return `${typeof low === 'number' ? low : 'any'} to ${typeof high === 'number' ? high : 'any'}`
}

const bounds = {
  number: { low: 'minimum', high: 'maximum', unit: '' },
  string: { low: 'minLength', high: 'maxLength', unit: ' characters' },
  array: { low: 'minItems', high: 'maxItems', unit: ' items' },
} as const

const sizeOf = (value: unknown): { size: number; bound: (typeof bounds)[keyof typeof bounds] } | undefined => {
  if (typeof value === 'number') return { size: value, bound: bounds.number }
  if (typeof value === 'string') return { size: Array.from(value).length, bound: bounds.string }
  return Array.isArray(value) ? { size: value.length, bound: bounds.array } : undefined
}

const checkSize = (schema: Fields, value: unknown, walk: Walk): string[] => {
  const measured = sizeOf(value)
  if (measured === undefined || within(schema, measured.size, measured.bound)) return []
  return [`${at(walk)}: expected ${range(schema, measured.bound)}${measured.bound.unit}, got ${measured.size}`]
}

const checkUnions = (schema: Fields, value: unknown, walk: Walk): string[] => {
  const all = list(schema['allOf']).flatMap((part) => check(part, value, walk))
  if (all.length > 0) return all
  for (const name of ['anyOf', 'oneOf']) {
    const choices = list(schema[name])
    const results = choices.map((choice) => check(choice, value, walk))
    if (choices.length > 0 && results.every((issues) => issues.length > 0)) return results.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  return []
}

/** Only resolves `#` and pointers such as `#/$defs/name`. */
const resolve = (root: Fields, reference: string): unknown =>
  reference === '#'
    ? root
    : reference.startsWith('#/')
      ? reference
          .slice(2)
          .split('/')
          .reduce<unknown>((value, key) => fields(value)[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
      : undefined

const check = (definition: unknown, value: unknown, walk: Walk): string[] => {
  if (definition === false) return [`${at(walk)}: expected nothing`]
  const schema = fields(definition)
  if (walk.depth > maxDepth) return []
  const reference = text(schema['$ref'])
  if (reference !== undefined) return check(resolve(walk.root, reference) ?? {}, value, { ...walk, depth: walk.depth + 1 })
  const types = readTypes(schema)
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [`${at(walk)}: expected ${types.join(' or ')}, got ${typeOf(value)}`]
  const choices = Object.hasOwn(schema, 'const') ? [schema['const']] : list(schema['enum'])
  if (choices.length > 0 && !choices.some((choice) => same(choice, value)))
    return [`${at(walk)}: expected ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}`]
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => check(schema['items'] ?? {}, item, into(walk, String(index))))
    : typeOf(value) === 'object'
      ? checkObject(schema, fields(value), walk)
      : []
  return [...checkSize(schema, value, walk), ...inside, ...checkUnions(schema, value, walk)]
}

/** Describes what is invalid; empty if the arguments are valid. */
export const checkArguments = (schema: Fields, value: unknown): readonly string[] => {
  if (typeOf(value) !== 'object') return [`the arguments: expected object, got ${typeOf(value)}`]
  return check(schema, value, { root: schema, path: '', depth: 0 }).slice(0, 8)
}
