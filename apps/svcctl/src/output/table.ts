// Tables: aligned and headed for people, tab-separated and bare for programs. Where a terminal is narrow, long texts end at a word,
// texts move below their rows and columns are left out by priority. A word is never cut.
import { styleText } from 'node:util'
import { visible } from './values.ts'

export type Style = Parameters<typeof styleText>[0]

export interface Column<R> {
  readonly name: string
  readonly value: (row: R) => string
  /** What a program gets instead, such as a time instead of an age. */
  readonly plain?: (row: R) => string
  /** May end early, at a word. */
  readonly flexible?: boolean
  /** Moves below its row where the terminal has no room for it. */
  readonly below?: boolean
  /** May be left out; the column with the highest number goes first. */
  readonly drop?: number
  readonly style?: (row: R) => Style | undefined
}

export interface Place {
  readonly isTTY?: boolean
  /** 0 where the terminal does not know. */
  readonly columns?: number
}

const gap = 2
/** Narrower than this, a text reads better below its row. */
const minTextWidth = 44
const minWrapWidth = 20

/** What people see as characters. ASCII needs no segmenter, which takes a while to make. */
const charactersOf = (text: string): string[] =>
  /^[\x20-\x7E]*$/.test(text) ? text.split('') : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

const lengthOf = (text: string): number => charactersOf(text).length

/** As many whole words as fit with the mark; a first word that is too long is cut, which a column's width prevents. */
const cutAtWord = (text: string, width: number): string => {
  if (lengthOf(text) <= width) return text
  const kept = charactersOf(text).slice(0, width).join('')
  const end = kept.lastIndexOf(' ')
  return end > 0
    ? `${kept.slice(0, end).replace(/[\s,;:.]+$/, '')}…`
    : `${charactersOf(text)
        .slice(0, width - 1)
        .join('')}…`
}

interface Sized<R> {
  readonly column: Column<R>
  readonly cells: readonly string[]
  readonly natural: number
  /** The least width that breaks no word. */
  readonly least: number
}

const size = <R>(column: Column<R>, rows: readonly R[]): Sized<R> => {
  const cells = rows.map((row) => visible(column.value(row)))
  const head = column.name.length
  const natural = Math.max(head, ...cells.map(lengthOf))
  const firstWords = cells.map((cell) => (cell.includes(' ') ? lengthOf(cell.slice(0, cell.indexOf(' '))) + 1 : lengthOf(cell)))
  const least =
    column.flexible === true ? Math.min(natural, Math.max(head, ...firstWords, column.below === true ? minTextWidth : 0)) : natural
  return { column, cells, natural, least }
}

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1)

/** The columns that fit into the room, and those that stand below their rows. */
const choose = <R>(all: readonly Sized<R>[], room: number): { readonly across: Sized<R>[]; readonly below: Sized<R>[] } => {
  let across = [...all]
  const below: Sized<R>[] = []
  const isTooWide = (): boolean => total(across.map(({ least }) => least)) > room
  const moved = across.filter(({ column }) => column.below === true)
  for (const one of moved) {
    if (!isTooWide()) break
    across = across.filter((other) => other !== one)
    below.push(one)
  }
  for (;;) {
    const [last] = across.filter(({ column }) => column.drop !== undefined).toSorted((a, b) => (b.column.drop ?? 0) - (a.column.drop ?? 0))
    if (last === undefined || !isTooWide()) return { across, below }
    across = across.filter((one) => one !== last)
  }
}

/** Takes the missing room from the widest flexible columns. */
const widthsIn = <R>(across: readonly Sized<R>[], room: number): number[] => {
  const widths = across.map(({ natural }) => natural)
  for (;;) {
    const excess = total(widths) - room
    const [widest] = across
      .map(({ least }, index) => ({ index, width: widths[index] ?? 0, least }))
      .filter(({ width, least }) => width > least)
      .toSorted((a, b) => b.width - a.width)
    if (excess <= 0 || widest === undefined) return widths
    widths[widest.index] = Math.max(widest.least, widest.width - excess)
  }
}

const styled = (style: Style | undefined, text: string, place: Place): string =>
  style === undefined || !('write' in place) ? text : styleText(style, text, { stream: place as NodeJS.WriteStream })

const forTerminal = <R>(columns: readonly Column<R>[], rows: readonly R[], place: Place): string => {
  const room = place.columns === undefined || place.columns === 0 ? Infinity : place.columns
  const { across, below } = choose(
    columns.map((column) => size(column, rows)),
    room,
  )
  const widths = widthsIn(across, room)
  const pad = (cell: string, index: number): string => {
    const text = cutAtWord(cell, widths[index] ?? 0)
    return text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - lengthOf(text)))
  }
  const join = (cells: readonly string[]): string => cells.join(' '.repeat(gap)).trimEnd()
  const lines = rows.flatMap((row, at) => [
    join(across.map(({ column, cells }, index) => styled(column.style?.(row), pad(cells[at] ?? '', index), place))),
    ...below.filter(({ cells }) => cells[at] !== '').map(({ cells }) => `  ${styled('dim', wrap(cells[at] ?? '', 2, place), place)}`),
  ])
  return `${[join(across.map(({ column }, index) => pad(column.name, index))), ...lines].join('\n')}\n`
}

/** The empty string for no rows. */
export const table = <R>(columns: readonly Column<R>[], rows: readonly R[], place: Place): string => {
  if (rows.length === 0) return ''
  if (place.isTTY === true) return forTerminal(columns, rows, place)
  return rows.map((row) => `${columns.map((column) => visible((column.plain ?? column.value)(row))).join('\t')}\n`).join('')
}

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
