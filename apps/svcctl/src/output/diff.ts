// The diff of a change as lines that begin with + or -, by applying its operations.
import { styleText } from 'node:util'
import type { Change } from '@gatehouse/contracts'
import { visible, visibleLines } from './visible.ts'

/** What stands at a place of a document, and the document after one operation of a diff. For showing alone. */
type Operation = Change['diff'][number]

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const member = (value: unknown, token: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === token)?.[1] : undefined

/** RFC 6901; undefined for what is not there. */
const valueAt = (document: unknown, pointer: string): unknown => tokensOf(pointer).reduce<unknown>(member, document)

const withArrayMember = (list: readonly unknown[], token: string, { op, value }: Operation): unknown[] => {
  const index = token === '-' ? list.length : Number(token)
  if (op === 'add') return list.toSpliced(index, 0, value)
  return op === 'remove' ? list.toSpliced(index, 1) : list.with(index, value)
}

const withMember = (document: object, token: string, { op, value }: Operation): object => {
  const others = Object.entries(document).filter(([key]) => key !== token)
  return Object.fromEntries(op === 'remove' ? others : [...others, [token, value]])
}

const applyAt = (document: unknown, tokens: readonly string[], operation: Operation): unknown => {
  const [token, ...rest] = tokens
  if (token === undefined) return operation.op === 'remove' ? null : operation.value
  if (typeof document !== 'object' || document === null) return document
  const last = rest.length === 0
  const part: Operation = last ? operation : { op: 'replace', path: '', value: applyAt(member(document, token), rest, operation) }
  return Array.isArray(document) ? withArrayMember(document, token, part) : withMember(document, token, part)
}

/** RFC 6902 for `add`, `remove` and `replace`; the others leave the document as it is. */
const applyOperation = (document: unknown, operation: Operation): unknown =>
  ['add', 'remove', 'replace'].includes(operation.op) ? applyAt(document, tokensOf(operation.path), operation) : document

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
