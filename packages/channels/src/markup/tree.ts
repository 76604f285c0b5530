// The parsed form of an agent message: blocks of pieces. Pieces are plain text without meaning to any service.

export interface Style {
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
}

/** A line of code without its end, or a part of a source line. */
export interface Line {
  readonly text: string
  /** Start position in the agent's text, in UTF-16 code units. */
  readonly at: number
}

export interface Piece extends Style, Line {
  /** Link target, always the same as the text. */
  readonly link?: string
  /** The source, if it differs from the text. Shown instead if the piece is cut. */
  readonly written?: readonly Line[]
}

export interface Item {
  readonly at: number
  readonly blocks: readonly Block[]
  /** Continues an item of the previous part. */
  readonly continued?: true
}

export interface Row {
  readonly at: number
  /** Start of the next line. */
  readonly to: number
  readonly cells: readonly (readonly Piece[])[]
}

export interface List {
  readonly kind: 'list'
  /** Number of the first item; undefined for bullet lists. */
  readonly start: number | undefined
  readonly items: readonly Item[]
}

export type Block =
  | { readonly kind: 'paragraph'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'heading'; readonly level: number; readonly pieces: readonly Piece[] }
  | { readonly kind: 'code'; readonly language: string | undefined; readonly lines: readonly Line[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'table'; readonly rows: readonly Row[] }
  | { readonly kind: 'rule'; readonly at: number }
  | List

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
