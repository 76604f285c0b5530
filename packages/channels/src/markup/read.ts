// Parses agent messages as Markdown (CommonMark, tables, strikethrough). HTML, link definitions and disallowed links are plain text.
// Text beyond the limits of length, depth or size is not parsed and is sent as it was written.
import { limits } from '@gatehouse/contracts'
import Markdown, { type MarkdownIt, type Token } from 'markdown-it'
import { hasBareLink, targetOf } from './link.ts'
import { piecesOf, stripBidiControls } from './pieces.ts'
import { Cursor, placeIn, type Source, sourceOf, startOf } from './place.ts'
import type { Block, Item, Line, Piece, Row } from './tree.ts'

const createParser = (): MarkdownIt => {
  const parser = new Markdown({ html: false, linkify: false, typographer: false, maxNesting: limits.markupLevels })
  // Link definitions can be referenced without limit, so that a few KiB could expand to many MiB.
  parser.disable(['reference', 'text_join'])
  parser.validateLink = (address) => targetOf(address) !== undefined
  return parser
}

let parser: MarkdownIt | undefined

const plain = new Set(['paragraph_open', 'paragraph_close', 'inline', 'text', 'softbreak', 'hardbreak'])

/** Rendering would not change anything. */
const isPlain = (tokens: readonly Token[]): boolean =>
  tokens.every(({ type, content, children }) => plain.has(type) && !(children === null && hasBareLink(content)) && isPlain(children ?? []))

/** The parser drops content beyond its maximum depth. */
const isBounded = (tokens: readonly Token[]): boolean => {
  const all = tokens.flatMap(({ children }) => children ?? []).concat(tokens)
  return all.length <= limits.markupPieces && all.every(({ level }) => level < limits.markupLevels - 1)
}

/** Content lines with their positions, without line ends. */
const linesOf = (source: Source, content: string, first: number): Line[] => {
  const lines = content.replace(/\n$/, '').split('\n')
  return lines.map((text, index) => ({ text: stripBidiControls(text), at: placeIn(source, first + index, text) }))
}

/** Number of cells in the source of a table row. */
const cellsIn = (line: string): number => {
  const row = line
    .trim()
    .replace(/^[\s>]*\|?/, '')
    .replace(/(?<!\\)\|$/, '')
  return row.split(/(?<!\\)\|/).length
}

class Reader {
  readonly #source: Source
  readonly #tokens: readonly Token[]
  #next = 0
  /** Line of the current table row; its cells have no line of their own. */
  #line = 0
  #hasLost = false

  constructor(source: Source, tokens: readonly Token[]) {
    this.#source = source
    this.#tokens = tokens
  }

  /** The parser dropped some of the text. */
  get hasLost(): boolean {
    return this.#hasLost
  }

  /** Reads blocks until the surrounding one closes. */
  blocks(): Block[] {
    const blocks: Block[] = []
    for (let token = this.#take(); token !== undefined && token.nesting !== -1; token = this.#take()) blocks.push(this.#block(token))
    return blocks
  }

  #take(): Token | undefined {
    const token = this.#tokens[this.#next]
    this.#next += 1
    this.#line = token?.map?.[0] ?? this.#line
    return token
  }

  #block(token: Token): Block {
    const { type, tag, content, info } = token
    if (type === 'heading_open') return { kind: 'heading', level: Number(tag.slice(1)), pieces: this.#inside() }
    if (type === 'blockquote_open') return { kind: 'quote', blocks: this.blocks() }
    if (type === 'bullet_list_open') return { kind: 'list', start: undefined, items: this.#items() }
    if (type === 'ordered_list_open') return { kind: 'list', start: Number(token.attrGet('start') ?? 1), items: this.#items() }
    if (type === 'table_open') return { kind: 'table', rows: this.#rows() }
    if (type === 'hr') return { kind: 'rule', at: startOf(this.#source, this.#line) }
    if (type === 'code_block') return { kind: 'code', language: undefined, lines: linesOf(this.#source, content, this.#line) }
    if (type !== 'fence') return { kind: 'paragraph', pieces: this.#inside() }
    const [language] = /^[\w+#.-]{1,32}$/.exec(info.trim()) ?? []
    // Only a language name is shown, and none for an empty block.
    if (info.trim() !== '' && (language === undefined || content === '')) this.#hasLost = true
    return { kind: 'code', language, lines: linesOf(this.#source, content, this.#line + 1) }
  }

  /** The pieces of a paragraph, heading or cell. */
  #inside(): readonly Piece[] {
    let pieces: readonly Piece[] = []
    for (let token = this.#take(); token !== undefined && token.nesting !== -1; token = this.#take())
      pieces = piecesOf(token.children ?? [], new Cursor(this.#source, token.content, this.#line))
    return pieces
  }

  #items(): Item[] {
    const items: Item[] = []
    for (let token = this.#take(); token?.type === 'list_item_open'; token = this.#take())
      items.push({ at: startOf(this.#source, this.#line), blocks: this.blocks() })
    return items
  }

  #rows(): Row[] {
    const rows: Row[] = []
    for (let token = this.#take(); token !== undefined && token.type !== 'table_close'; token = this.#take())
      if (token.type === 'tr_open') rows.push(this.#row(rows[0]))
    return rows
  }

  /** Table cells beyond the columns of the first row are dropped by the parser. */
  #row(first: Row | undefined): Row {
    const [at, to] = [startOf(this.#source, this.#line), startOf(this.#source, this.#line + 1)]
    const cells = this.#cells()
    if (first !== undefined && cellsIn(this.#source.text.slice(at, to)) > cells.length) this.#hasLost = true
    return { at, to, cells }
  }

  #cells(): (readonly Piece[])[] {
    const cells: (readonly Piece[])[] = []
    for (let token = this.#take(); token !== undefined && token.type !== 'tr_close'; token = this.#take()) cells.push(this.#inside())
    return cells
  }
}

/** Undefined: send the text as it is. */
export const readMarkup = (text: string): readonly Block[] | undefined => {
  if (text.length > limits.markupText) return undefined
  parser ??= createParser()
  const tokens = parser.parse(text, {})
  if (isPlain(tokens) || !isBounded(tokens)) return undefined
  const reader = new Reader(sourceOf(text), tokens)
  const blocks = reader.blocks()
  return reader.hasLost ? undefined : blocks
}
