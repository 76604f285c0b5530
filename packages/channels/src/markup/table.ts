// A table as text of even width, for services that have none.
import type { Row } from './tree.ts'

/** A column is not made wider than this: a long cell sticks out. */
const widest = 40

/** Characters that people see, about. */
const widthOf = (text: string): number => Array.from(text).length

export const tableText = (rows: readonly Row[]): string => {
  const texts = rows.map(({ cells }) =>
    cells.map((cell) =>
      cell
        .map(({ text }) => text)
        .join('')
        .replaceAll('\n', ' '),
    ),
  )
  const widths = (texts[0] ?? []).map((_, column) => Math.min(widest, Math.max(...texts.map((row) => widthOf(row[column] ?? '')))))
  const pad = (text: string, column: number): string => text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)))
  return texts.map((row) => row.map(pad).join(' | ').trimEnd()).join('\n')
}
