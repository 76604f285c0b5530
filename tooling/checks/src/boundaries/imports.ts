// Finds every import of a module: declarations, re-exports, types, dynamic imports and require.
import type { Module } from './modules.ts'
import { isNode, lineOf, type Node, nodeList, text } from './syntax.ts'

export interface Import {
  readonly from: string
  /** Names taken, as the other module calls them; `*` and the local name for a whole module. */
  readonly names: readonly string[]
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean
  readonly line: number
}

const nameOf = (specifier: Node): string => {
  if (specifier.type === 'ImportSpecifier') return text(specifier['imported']) ?? text(specifier['local']) ?? ''
  return specifier.type === 'ExportSpecifier' ? (text(specifier['orig']) ?? '') : `* ${text(specifier['local']) ?? ''}`
}

const declared = (node: Node): Omit<Import, 'line'> | undefined => {
  const from = text(node['source'])
  if (from === undefined) return undefined
  const specifiers = nodeList(node['specifiers'])
  const values = specifiers.filter((specifier) => specifier['isTypeOnly'] !== true)
  const typeOnly = node['typeOnly'] === true || (specifiers.length > 0 && values.length === 0)
  return { from, names: values.map(nameOf), typeOnly }
}

const called = (node: Node): Omit<Import, 'line'> | undefined => {
  const callee = node['callee']
  if (!isNode(callee) || !(callee.type === 'Import' || callee['value'] === 'require')) return undefined
  const [first] = Array.isArray(node['arguments']) ? (node['arguments'] as { expression?: unknown }[]) : []
  const from = text(first?.expression)
  return from === undefined ? undefined : { from, names: [], typeOnly: false }
}

const importOf = (node: Node): Omit<Import, 'line'> | undefined => {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return declared(node)
    case 'CallExpression':
      return called(node)
    case 'TsImportType': {
      const from = text(node['argument'])
      return from === undefined ? undefined : { from, names: [], typeOnly: true }
    }
    default:
      return undefined
  }
}

export const importsOf = (module: Module): Import[] =>
  module.nodes.flatMap((node) => {
    const found = importOf(node)
    return found === undefined ? [] : [{ ...found, line: lineOf(node, module.source) }]
  })
