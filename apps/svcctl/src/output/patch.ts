// What stands at a place of a document, and the document after one operation of a diff. For showing alone.
import type { Change } from '@gatehouse/contracts'

export type Operation = Change['diff'][number]

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const member = (value: unknown, token: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === token)?.[1] : undefined

/** RFC 6901; undefined for what is not there. */
export const valueAt = (document: unknown, pointer: string): unknown => tokensOf(pointer).reduce<unknown>(member, document)

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
export const applyOperation = (document: unknown, operation: Operation): unknown =>
  ['add', 'remove', 'replace'].includes(operation.op) ? applyAt(document, tokensOf(operation.path), operation) : document
