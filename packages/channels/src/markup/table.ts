// Renders a table as aligned text, for services without tables.
import type { Row } from './tree.ts'

/** Maximum padded column width. Longer cells stick out. */
const widest = 40

/** Approximate number of visible characters. */
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
