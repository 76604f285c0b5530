// The diff of a change as lines that begin with + or -.
import { styleText } from 'node:util'
import type { Change } from '@gatehouse/contracts'
import { visible, visibleLines } from './visible.ts'

/** RFC 6901; undefined for what is not there. */
const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, token) =>
        typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === token)?.[1] : undefined,
      document,
    )

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

export const diffLines = (change: Pick<Change, 'before' | 'diff'>, stream: NodeJS.WriteStream): string[] => {
  const mark = (sign: '+' | '-', path: string, value: unknown): string[] => {
    const lines = visibleLines(textOf(value)).split('\n')
    const head = path === '' ? '' : `${visible(path)}: `
    const marked =
      lines.length === 1
        ? [`${sign} ${head}${lines[0]}`]
        : [...(head === '' ? [] : [`${sign} ${head.trimEnd()}`]), ...lines.map((line) => `${sign}   ${line}`)]
    return marked.map((line) => styleText(sign === '+' ? 'green' : 'red', line, { stream }))
  }
  return change.diff.flatMap((operation) => {
    switch (operation.op) {
      case 'add':
        return mark('+', operation.path, operation.value)
      case 'remove':
        return mark('-', operation.path, valueAt(change.before, operation.path))
      case 'replace':
        return [...mark('-', operation.path, valueAt(change.before, operation.path)), ...mark('+', operation.path, operation.value)]
      case 'move':
      case 'copy':
        return [`~ ${operation.op} ${visible(operation.from ?? '')} to ${visible(operation.path)}`]
      case 'test':
        return []
    }
  })
}
