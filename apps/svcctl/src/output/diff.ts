// The diff of a change as lines that begin with + or -.
import { styleText } from 'node:util'
import type { Change } from '@gatehouse/contracts'
import { applyOperation, type Operation, valueAt } from './patch.ts'
import { visible, visibleLines } from './visible.ts'

const shortList = 80

/** A short list of plain values is one line. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value) ?? ''
  const isPlain = Array.isArray(value) && value.every((member) => typeof member !== 'object' || member === null)
  return isPlain && line.length <= shortList ? line : (JSON.stringify(value, null, 2) ?? '')
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** A whole that comes to be is shown member by member. */
const membersOf = ({ path, value }: Operation): [path: string, value: unknown][] => {
  const isWhole = path === '' && typeof value === 'object' && value !== null && !Array.isArray(value)
  const members = isWhole ? Object.entries(value).map(([name, member]): [string, unknown] => [`/${escaped(name)}`, member]) : []
  return members.length === 0 ? [[path, value]] : members
}

export const diffLines = (change: Pick<Change, 'before' | 'diff'>, stream: NodeJS.WritableStream): string[] => {
  const mark = (sign: '+' | '-', path: string, value: unknown): string[] => {
    const lines = visibleLines(textOf(value)).split('\n')
    const head = path === '' ? '' : `${visible(path)}: `
    const marked =
      lines.length === 1
        ? [`${sign} ${head}${lines[0]}`]
        : [...(head === '' ? [] : [`${sign} ${head.trimEnd()}`]), ...lines.map((line) => `${sign}   ${line}`)]
    return marked.map((line) => styleText(sign === '+' ? 'green' : 'red', line, { stream }))
  }
  const added = (operation: Operation): string[] => membersOf(operation).flatMap(([path, value]) => mark('+', path, value))
  let document: unknown = change.before
  return change.diff.flatMap((operation) => {
    const old = valueAt(document, operation.path)
    document = applyOperation(document, operation)
    switch (operation.op) {
      case 'add':
        return added(operation)
      case 'remove':
        return mark('-', operation.path, old)
      case 'replace':
        return [...(old === null ? [] : mark('-', operation.path, old)), ...added(operation)]
      case 'move':
      case 'copy':
        return [`~ ${operation.op} ${visible(operation.from ?? '')} to ${visible(operation.path)}`]
      case 'test':
        return []
    }
  })
}
