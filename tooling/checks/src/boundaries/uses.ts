// Finds in one module every use of a power.
import { type Import, importsOf } from './imports.ts'
import type { Module } from './modules.ts'
import { isNode, lineOf, type Node, nodesIn, text } from './syntax.ts'

export interface Use {
  readonly power: 'process' | 'program' | 'child-process' | 'shell' | 'json' | 'wall-clock' | 'randomness'
  readonly what: string
  readonly line: number
}

const guarded = new Set(['env', 'argv', 'exit'])
const starters = new Set(['execa', '@modelcontextprotocol/client/stdio'])

const isGlobalProcess = (node: Node): boolean =>
  node.type === 'MemberExpression' &&
  isNode(node['object']) &&
  node['object']['value'] === 'globalThis' &&
  text(node['property']) === 'process'

const isProcess = (node: unknown): boolean =>
  isNode(node) && ((node.type === 'Identifier' && node['value'] === 'process') || isGlobalProcess(node))

const processMember = (node: Node): string | undefined => {
  if (node.type !== 'MemberExpression' || !isProcess(node['object'])) return undefined
  const property = text(node['property'])
  return property !== undefined && guarded.has(property) ? property : undefined
}

const takenApart = (node: Node): string | undefined => {
  if (node.type !== 'VariableDeclarator' || !isProcess(node['init'])) return undefined
  return nodesIn(node['id'])
    .flatMap((inner) => text(inner) ?? [])
    .find((name) => guarded.has(name))
}

const isShellOption = (node: Node): boolean => {
  if (node.type !== 'KeyValueProperty' || text(node['key']) !== 'shell' || !isNode(node['value'])) return false
  const value = node['value']
  return (value.type === 'BooleanLiteral' && value['value'] === true) || (text(value)?.startsWith('/') ?? false)
}

/** `JSON.parse`, also taken apart, and the same as an action of valibot. */
const jsonParser = (node: Node): string | undefined => {
  if (node.type === 'VariableDeclarator')
    return isNode(node['init']) && text(node['init']) === 'JSON' && nodesIn(node['id']).some((inner) => text(inner) === 'parse')
      ? 'JSON.parse'
      : undefined
  if (node.type !== 'MemberExpression') return undefined
  const property = text(node['property'])
  if (property === 'parseJson') return 'parseJson of valibot'
  return property === 'parse' && text(node['object']) === 'JSON' ? 'JSON.parse' : undefined
}

const isNamed = (node: unknown, name: string): boolean => isNode(node) && node.type === 'Identifier' && node['value'] === name

const hasNoArguments = (node: Node): boolean => !Array.isArray(node['arguments']) || node['arguments'].length === 0

/** `Date.now` in every spelling, `new Date()` and `Date()`: all read the clock that people can set. */
const wallClockRead = (node: Node): string | undefined => {
  if (node.type === 'MemberExpression' && isNamed(node['object'], 'Date') && text(node['property']) === 'now') return 'Date.now'
  if (node.type === 'NewExpression' && isNamed(node['callee'], 'Date') && hasNoArguments(node)) return 'new Date()'
  if (node.type === 'CallExpression' && isNamed(node['callee'], 'Date')) return 'Date()'
  if (node.type !== 'VariableDeclarator' || !isNamed(node['init'], 'Date')) return undefined
  return 'Date under another name'
}

const isRandom = (node: Node): boolean =>
  node.type === 'MemberExpression' && isNamed(node['object'], 'Math') && text(node['property']) === 'random'

const fromNode = (module: Module, node: Node): Use[] => {
  const parser = jsonParser(node)
  if (parser !== undefined) return [{ power: 'json', what: parser, line: lineOf(node, module.source) }]
  if (isRandom(node)) return [{ power: 'randomness', what: 'Math.random', line: lineOf(node, module.source) }]
  const clock = wallClockRead(node)
  if (clock !== undefined) return [{ power: 'wall-clock', what: clock, line: lineOf(node, module.source) }]
  const member = processMember(node) ?? takenApart(node)
  if (member !== undefined) return [{ power: 'process', what: `process.${member}`, line: lineOf(node, module.source) }]
  return isShellOption(node) ? [{ power: 'shell', what: 'shell option', line: lineOf(node, module.source) }] : []
}

const fromImport = (found: Import): Use[] => {
  const { from, line } = found
  const name = from.replace(/^node:/, '')
  if (found.typeOnly) return []
  if (name === 'child_process' || name === 'cluster') return [{ power: 'child-process', what: `import of ${from}`, line }]
  if (name === 'fast-check') return [{ power: 'randomness', what: `import of ${from}`, line }]
  if (starters.has(name)) return [{ power: 'program', what: `import of ${from}`, line }]
  if (name !== 'process') return []
  const taken = found.names.find((each) => guarded.has(each) || (each.startsWith('* ') && each !== '* process'))
  return taken === undefined ? [] : [{ power: 'process', what: `import of ${taken} from ${from}`, line }]
}

export const usesIn = (module: Module): Use[] => [
  ...importsOf(module).flatMap(fromImport),
  ...module.nodes.flatMap((node) => fromNode(module, node)),
]
