// Finds in one file every use of a power, by its syntax tree.
import { parse } from '@swc/core'
import { isNode, lineOf, type Node, nodesIn, text } from './syntax.ts'

export interface Use {
  readonly power: 'process' | 'program' | 'child-process' | 'shell'
  readonly what: string
  readonly line: number
}

const guarded = new Set(['env', 'argv', 'exit'])
const starters = new Set(['execa', '@modelcontextprotocol/client/stdio'])

const isProcess = (node: unknown): boolean =>
  isNode(node) &&
  ((node.type === 'Identifier' && node['value'] === 'process') ||
    (node.type === 'MemberExpression' &&
      isNode(node['object']) &&
      node['object']['value'] === 'globalThis' &&
      text(node['property']) === 'process'))

const processMember = (node: Node): string | undefined => {
  if (node.type !== 'MemberExpression' || !isProcess(node['object'])) return undefined
  const property = text(node['property'])
  return property !== undefined && guarded.has(property) ? `process.${property}` : undefined
}

const destructured = (node: Node): string | undefined => {
  if (node.type !== 'VariableDeclarator' || !isProcess(node['init']) || !isNode(node['id']) || node['id'].type !== 'ObjectPattern')
    return undefined
  const names = nodesIn(node['id']).flatMap((inner) => text(inner) ?? [])
  const found = names.find((name) => guarded.has(name))
  return found === undefined ? undefined : `process.${found}`
}

/** Module names that this node imports, with the names that it takes from them; types alone do not count. */
const imported = (node: Node): { from: string; names: readonly string[] } | undefined => {
  if (node.type === 'CallExpression' && isNode(node['callee'])) {
    const callee = node['callee']
    const argument = Array.isArray(node['arguments']) ? (node['arguments'] as { expression?: unknown }[])[0]?.expression : undefined
    const from = callee.type === 'Import' || callee['value'] === 'require' ? text(argument) : undefined
    return from === undefined ? undefined : { from, names: [] }
  }
  if (!/^(ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration)$/.test(node.type) || node['typeOnly'] === true) return undefined
  const from = text(node['source'])
  if (from === undefined) return undefined
  const specifiers = Array.isArray(node['specifiers']) ? (node['specifiers'] as Node[]) : []
  const values = specifiers.filter((specifier) => specifier['isTypeOnly'] !== true)
  if (specifiers.length > 0 && values.length === 0) return undefined
  return {
    from,
    names: values.map((value) =>
      value.type === 'ImportSpecifier' ? (text(value['imported']) ?? text(value['local']) ?? '') : `* ${text(value['local']) ?? ''}`,
    ),
  }
}

const importPower = (node: Node): Omit<Use, 'line'> | undefined => {
  const found = imported(node)
  if (found === undefined) return undefined
  const from = found.from.replace(/^node:/, '')
  if (from === 'child_process' || from === 'cluster') return { power: 'child-process', what: `import of ${found.from}` }
  if (starters.has(from)) return { power: 'program', what: `import of ${found.from}` }
  if (from !== 'process') return undefined
  const taken = found.names.find((name) => guarded.has(name) || (name.startsWith('* ') && name !== '* process'))
  return taken === undefined ? undefined : { power: 'process', what: `import of ${taken} from ${found.from}` }
}

const shellPower = (node: Node): Omit<Use, 'line'> | undefined => {
  if (node.type !== 'KeyValueProperty' || text(node['key']) !== 'shell' || !isNode(node['value'])) return undefined
  const value = node['value']
  const on = (value.type === 'BooleanLiteral' && value['value'] === true) || (text(value)?.startsWith('/') ?? false)
  return on ? { power: 'shell', what: 'shell option' } : undefined
}

const powerOf = (node: Node): Omit<Use, 'line'> | undefined => {
  const member = processMember(node) ?? destructured(node)
  return member === undefined ? (importPower(node) ?? shellPower(node)) : { power: 'process', what: member }
}

export const usesIn = async (source: string, path: string): Promise<Use[]> => {
  const tree: unknown = await parse(source, { syntax: 'typescript', tsx: path.endsWith('.tsx'), target: 'es2024' })
  return nodesIn(tree).flatMap((node) => {
    const use = powerOf(node)
    return use === undefined ? [] : [{ ...use, line: lineOf(node, source) }]
  })
}
