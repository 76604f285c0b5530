// What a change alters, field by field: before → after. Lists show the items that go and come, long texts their lines.
import { styleText } from 'node:util'
import { type Change, isObject, readPointer } from '@gatehouse/contracts'
import { visible, visibleLines } from './values.ts'

type Operation = Change['diff'][number]

const member = (value: unknown, token: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === token)?.[1] : undefined

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

const applied: ReadonlySet<Operation['op']> = new Set(['add', 'remove', 'replace'])

/** RFC 6902 for `add`, `remove` and `replace`; the others are shown as they are. */
const documentAfter = ({ before, diff }: Pick<Change, 'before' | 'diff'>): unknown =>
  diff
    .filter(({ op }) => applied.has(op))
    .reduce<unknown>((document, operation) => applyAt(document, readPointer(operation.path), operation), before)

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Longer values are shown line by line. */
const maxInline = 60

const inline = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return 'none'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inline).join(', ')
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  return Object.entries(value)
    .map(([name, part]) => `${name}=${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(' ')
}

/** Where a value has another meaning than its form: no named tool means every tool. */
export type Meaning = (field: string, value: unknown) => string | undefined

export interface DiffOptions {
  readonly stream: NodeJS.WritableStream
  readonly meaning?: Meaning
}

interface FieldValues {
  readonly field: string
  readonly old: unknown
  readonly value: unknown
}

const changedLines = ({ field, old, value }: FieldValues, { stream, meaning }: DiffOptions): string[] => {
  const red = (text: string): string => styleText('red', text, { stream })
  const green = (text: string): string => styleText('green', text, { stream })
  const text = (each: unknown): string => meaning?.(field, each) ?? inline(each)
  const name = visible(field)
  const [from, to] = [text(old), text(value)]
  if (!`${from}${to}`.includes('\n') && from.length <= maxInline && to.length <= maxInline)
    return [`${name}: ${red(visible(from))} → ${green(visible(to))}`]
  const marked = (sign: string, lines: readonly string[], colour: (line: string) => string): string[] =>
    lines.map((line) => colour(`  ${sign} ${line}`))
  if (Array.isArray(old ?? []) && Array.isArray(value ?? [])) {
    const [had, has] = [(old ?? []) as unknown[], (value ?? []) as unknown[]]
    const without = (list: unknown[], others: unknown[]): string[] =>
      list.filter((item) => !others.some((other) => isEqual(item, other))).map((item) => visible(inline(item)))
    const kept = has.length - without(has, had).length
    return [
      `${name}:`,
      ...marked('-', without(had, has), red),
      ...marked('+', without(has, had), green),
      ...(kept > 0 ? [`    ${kept} unchanged`] : []),
    ]
  }
  const linesOf = (each: string): string[] => (each === 'none' ? [] : visibleLines(each).split('\n'))
  return [`${name}:`, ...marked('-', linesOf(from), red), ...marked('+', linesOf(to), green)]
}

const compare = ({ field, old, value }: FieldValues, options: DiffOptions): string[] => {
  if (isEqual(old, value)) return []
  const isWhole = field === ''
  if (!isObject(old ?? {}) || !isObject(value ?? {}) || (!isWhole && !(isObject(old) && isObject(value))))
    return changedLines({ field: isWhole ? 'value' : field, old, value }, options)
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(value ?? {})])]
  return names.flatMap((name) =>
    compare({ field: isWhole ? name : `${field}.${name}`, old: member(old, name), value: member(value, name) }, options),
  )
}

export const diffLines = (change: Pick<Change, 'before' | 'diff'>, options: DiffOptions): string[] => [
  ...compare({ field: '', old: change.before, value: documentAfter(change) }, options),
  ...change.diff
    .filter(({ op }) => op === 'move' || op === 'copy')
    .map(({ op, from, path }) => `~ ${op} ${visible(from ?? '')} to ${visible(path)}`),
]
