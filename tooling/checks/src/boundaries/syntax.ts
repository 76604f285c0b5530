// Walks a syntax tree of swc without knowing its grammar.

export interface Node {
  readonly type: string
  readonly span?: { readonly start: number; readonly end: number }
  readonly [member: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const addNodes = (value: unknown, found: Node[]): void => {
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) found.push(value)
  for (const below of Array.isArray(value) ? value : Object.values(value)) addNodes(below, found)
}

/** The node and everything below it, from above and from the left. */
export const nodesIn = (value: unknown): Node[] => {
  const found: Node[] = []
  addNodes(value, found)
  return found
}

/** The text of an identifier, a string or a computed string. */
export const text = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Computed') return text(node['expression'])
  return typeof node['value'] === 'string' ? node['value'] : undefined
}

/** The nodes of a list that may be none. */
export const nodeList = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** swc counts bytes from 1; a property has no place of its own, its value has. */
export const lineOf = (node: Node, source: string): number => {
  const span = node.span ?? nodesIn(node).find((below) => below.span !== undefined)?.span
  return span === undefined
    ? 1
    : Buffer.from(source)
        .subarray(0, span.start - 1)
        .toString('utf8')
        .split('\n').length
}
