// What an agent wrote, read as Markdown: blocks of pieces. Whatever stands in a piece is text; no piece means anything to a service.

export interface Style {
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
}

/** One of code, without its end, or a part of a line that the agent wrote. */
export interface Line {
  readonly text: string
  /** Where in the text of the agent it begins, UTF-16 units. */
  readonly at: number
}

export interface Piece extends Style, Line {
  /** Where it leads: to what stands there, and to nothing else. */
  readonly link?: string
  /** What the agent wrote for it, where that is not its text: shown in its place where a cut goes through it. */
  readonly written?: readonly Line[]
}

export interface Item {
  readonly at: number
  readonly blocks: readonly Block[]
  /** Its first part stands in the message before. */
  readonly continued?: true
}

export interface Row {
  readonly at: number
  /** Where the next line begins. */
  readonly to: number
  readonly cells: readonly (readonly Piece[])[]
}

export interface List {
  readonly kind: 'list'
  /** The number of the first item; undefined: they have none. */
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
