// The diff of a change as lines that begin with + or -.
import { styleText } from 'node:util'
import type { Change } from '@gatehouse/contracts'
import { applyOperation, valueAt } from './patch.ts'
import { visible, visibleLines } from './visible.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

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
  let document: unknown = change.before
  return change.diff.flatMap((operation) => {
    const old = valueAt(document, operation.path)
    document = applyOperation(document, operation)
    switch (operation.op) {
      case 'add':
        return mark('+', operation.path, operation.value)
      case 'remove':
        return mark('-', operation.path, old)
      case 'replace':
        return [...(old === null ? [] : mark('-', operation.path, old)), ...mark('+', operation.path, operation.value)]
      case 'move':
      case 'copy':
        return [`~ ${operation.op} ${visible(operation.from ?? '')} to ${visible(operation.path)}`]
      case 'test':
        return []
    }
  })
}
