// Arguments that a tool's schema sends along as headers of their own. The stateless revision over HTTP lets a client call no
// tool whose marks are wrong: what a header says and what the body says would differ.

type Node = Readonly<Record<string, unknown>>

const mark = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const primitives = new Set<unknown>(['string', 'integer', 'boolean'])
/** Values that are data, not schemas. */
const plain = new Set(['default', 'const', 'enum', 'examples', mark])

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

const hasMark = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasMark)
  if (!isNode(value)) return false
  return Object.hasOwn(value, mark) || Object.entries(value).some(([key, inner]) => !plain.has(key) && hasMark(inner))
}

/** Names of headers below this schema in lower case; null where a mark is wrong. */
const collect = (schema: unknown, isRoot: boolean): string[] | null => {
  if (!isNode(schema)) return []
  const name = schema[mark]
  const isFit = !isRoot && typeof name === 'string' && token.test(name) && primitives.has(schema['type'])
  if (Object.hasOwn(schema, mark) && !isFit) return null
  const names = typeof name === 'string' ? [name.toLowerCase()] : []
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties' && isNode(inner)) {
      for (const property of Object.values(inner)) {
        const found = collect(property, false)
        if (found === null) return null
        names.push(...found)
      }
    } else if (!plain.has(key) && hasMark(inner)) return null
  }
  return names
}

/** True for a schema without marks. */
export const hasUsableMarks = (inputSchema: unknown): boolean => {
  const names = collect(inputSchema, true)
  return names !== null && new Set(names).size === names.length
}
