// Tables: aligned and headed for people, tab-separated and bare for programs.
import { visible } from './visible.ts'

export interface Column<R> {
  readonly name: string
  readonly value: (row: R) => string
  /** What a program gets instead, such as a time instead of an age. */
  readonly plain?: (row: R) => string
  /** May be cut to fit the terminal. */
  readonly flexible?: boolean
}

export interface Place {
  readonly isTTY?: boolean
  /** 0 where the terminal does not know. */
  readonly columns?: number
}

const gap = 2
const minColumnWidth = 12

/** What people see as characters. ASCII needs no segmenter, which takes a while to make. */
const charactersOf = (text: string): string[] =>
  /^[\x20-\x7E]*$/.test(text) ? text.split('') : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

const lengthOf = (text: string): number => charactersOf(text).length

const cut = (text: string, width: number): string =>
  lengthOf(text) <= width
    ? text
    : `${charactersOf(text)
        .slice(0, width - 1)
        .join('')}…`

/** Takes the room that is missing from the flexible columns, widest first. */
const fit = (widths: readonly number[], flexible: readonly boolean[], room: number): number[] => {
  const fitted = [...widths]
  const total = (): number => fitted.reduce((sum, width) => sum + width, 0) + gap * (fitted.length - 1)
  for (;;) {
    const candidates = fitted.flatMap((width, index) => (flexible[index] === true && width > minColumnWidth ? [{ width, index }] : []))
    const widest = candidates.toSorted((a, b) => b.width - a.width)[0]
    if (widest === undefined || total() <= room) return fitted
    fitted[widest.index] = Math.max(minColumnWidth, widest.width - (total() - room))
  }
}

/** The empty string for no rows. */
export const table = <R>(columns: readonly Column<R>[], rows: readonly R[], place: Place): string => {
  if (rows.length === 0) return ''
  if (place.isTTY !== true) {
    return rows.map((row) => `${columns.map((column) => visible((column.plain ?? column.value)(row))).join('\t')}\n`).join('')
  }
  const lines = [columns.map((column) => column.name), ...rows.map((row) => columns.map((column) => visible(column.value(row))))]
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => lengthOf(line[index] ?? ''))))
  const widths = fit(
    natural,
    columns.map((column) => column.flexible === true),
    place.columns === undefined || place.columns === 0 ? Infinity : place.columns,
  )
  const pad = (cell: string, index: number): string => {
    const text = cut(cell, widths[index] ?? 0)
    return text + ' '.repeat((widths[index] ?? 0) - lengthOf(text))
  }
  return lines.map((line) => `${line.map(pad).join(' '.repeat(gap)).trimEnd()}\n`).join('')
}

/** Narrower than this nothing is gained. */
const minWrapWidth = 20

/** `indent`: the column that the text begins at. */
export const wrap = (text: string, indent: number, { isTTY, columns = 0 }: Place): string => {
  const room = columns - indent
  if (isTTY !== true || room < minWrapWidth || text.length <= room) return text
  const lines: string[] = []
  const [first = '', ...words] = text.trimStart().split(' ')
  let line = `${' '.repeat(text.length - text.trimStart().length)}${first}`
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
