// Text that people read: prose of Markdown pages, and the string literals and JSX text of shipped sources.
import markdownIt from 'markdown-it'
import type { Module } from '../boundaries/modules.ts'
import { isNode, lineOf, type Node } from '../boundaries/syntax.ts'

export interface Passage {
  readonly path: string
  readonly line: number
  readonly text: string
}

const markdown = markdownIt()

/** Prose without code: fenced blocks and inline code are left out. */
export const passagesOfPage = (path: string, source: string): Passage[] => {
  const passages: Passage[] = []
  let line = 1
  for (const token of markdown.parse(source, {})) {
    if (token.map !== null) line = token.map[0] + 1
    const text = (token.children ?? []).filter((child) => child.type === 'text').map((child) => child.content)
    if (token.type === 'inline') passages.push({ path, line, text: text.join(' ') })
  }
  return passages
}

/** A literal that has a space is taken for words; one without is a name. */
const textOf = (node: Node): string | undefined => {
  const text = node.type === 'TemplateElement' ? node['cooked'] : node['value']
  const isText = node.type === 'StringLiteral' || node.type === 'JSXText' || node.type === 'TemplateElement'
  return isText && typeof text === 'string' && text.trim().includes(' ') ? text : undefined
}

export const passagesOfModule = (module: Module): Passage[] =>
  module.nodes.filter(isNode).flatMap((node) => {
    const text = textOf(node)
    return text === undefined ? [] : [{ path: module.path, line: lineOf(node, module.source), text: text.trim() }]
  })
