// Renders agent messages as Slack rich text: text elements, and links whose label is their target. Slack parses no markup in these, so
// that no text can mention anyone.
import type { RichTextBlock, RichTextElement, RichTextList, RichTextText } from '@slack/types'
import { type Block, type List, type Piece, tableText } from '../markup/tree.ts'

const plain = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<https://example.org|label>`. */
const renderReference = (reference: string): string => {
  const [target = '', label] = reference.split('|', 2)
  if (target.startsWith('@')) return `@${label ?? target.slice(1)}`
  if (target.startsWith('#')) return `#${label ?? target.slice(1)}`
  if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0]}`
  return label === undefined || label === target ? target : `${label} (${target})`
}

/** The text as people see it. */
export const readText = (text: string): string =>
  plain(text.replaceAll(/<([^<>]*)>/g, (_, reference: string) => renderReference(reference)))

const nameOf = (user: string): RegExp => new RegExp(`<@${user}(?:\\|[^<>]*)?>`)

/** Slack escapes typed brackets, so this is a real mention. */
export const mentions = (text: string, user: string): boolean => nameOf(user).test(text)

/** Removes a mention of this user at the start of the text. */
export const withoutName = (text: string, user: string): string => text.replace(new RegExp(`^\\s*${nameOf(user).source}[\\s:,]*`), '')

/** Escapes text so that Slack parses nothing in it. */
export const escapeText = (text: string): string =>
  text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

type Element = RichTextBlock['elements'][number]

/** `offset`: number of the first item minus one. Documented, but missing in Slack's types. */
interface NumberedList extends RichTextList {
  offset?: number
}

/** Maximum characters of one text, of all texts, and number of texts, below Slack's own limits. */
const maxText = 3_000
const maxTotal = 12_000
const maxTexts = 1_000

/** Maximum list indentation. */
const maxIndent = 8

/** Splits long text into several elements. */
const chunksOf = (text: string): string[] => {
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, maxText)) ? maxText - 1 : maxText
  return text.length <= maxText ? [text] : [text.slice(0, end), ...chunksOf(text.slice(end))]
}

const textsOf = (text: string, style?: RichTextText['style']): RichTextText[] =>
  chunksOf(text.toWellFormed()).map((one) => ({ type: 'text', text: one, ...(style !== undefined && { style }) }))

const elementsOf = ({ text, link, at: _, written: _written, ...style }: Piece): RichTextElement[] => {
  if (link !== undefined) return [{ type: 'link', url: link, ...(text !== link && { text }) }]
  return text === '' ? [] : textsOf(text, Object.keys(style).length === 0 ? undefined : style)
}

const bolded = (pieces: readonly Piece[]): Piece[] => pieces.map((piece) => ({ ...piece, bold: true }))

class Writer {
  readonly #done: Element[] = []
  /** Set inside a quotation. */
  #border: { border?: 1 } = {}

  get elements(): Element[] {
    return this.#done
  }

  write(blocks: readonly Block[], level = 0): void {
    for (const block of blocks) this.#block(block, level)
  }

  #block(block: Block, level: number): void {
    if (block.kind === 'paragraph') this.#lines(block.pieces)
    else if (block.kind === 'heading') this.#lines(bolded(block.pieces))
    else if (block.kind === 'rule') this.#lines([{ text: '────────', at: block.at }])
    else if (block.kind === 'code') this.#preformatted(block.lines.map(({ text }) => text).join('\n'))
    else if (block.kind === 'table') this.#preformatted(tableText(block.rows))
    else if (block.kind === 'list') this.#list(block, level)
    else this.#quote(block.blocks, level)
  }

  /** Joins consecutive paragraphs into one element, because Slack shows no space between elements. */
  #lines(pieces: readonly Piece[]): void {
    const elements = pieces.flatMap(elementsOf)
    if (elements.length === 0) return
    const type = this.#border.border === undefined ? 'rich_text_section' : 'rich_text_quote'
    const last = this.#done.at(-1)
    if (last?.type === type) last.elements.push(...textsOf('\n\n'), ...elements)
    else this.#done.push({ type, elements })
  }

  #preformatted(text: string): void {
    if (text.trim() !== '') this.#done.push({ type: 'rich_text_preformatted', elements: textsOf(text), ...this.#border })
  }

  #quote(blocks: readonly Block[], level: number): void {
    const before = this.#border
    this.#border = { border: 1 }
    this.write(blocks, level)
    this.#border = before
  }

  /** An item is one text element. Its other blocks follow it, then the list continues. */
  #list({ start, items }: List, level: number): void {
    let list: NumberedList | undefined
    for (const [index, { blocks, continued }] of items.entries()) {
      const [first, ...others] = blocks
      const isText = first?.kind === 'paragraph' || first?.kind === 'heading'
      if (continued === true) {
        this.write(blocks, level)
        continue
      }
      if (list === undefined || list !== this.#done.at(-1)) this.#done.push((list = this.#emptyList(start, index, level)))
      const elements = isText ? first.pieces.flatMap(elementsOf) : []
      list.elements.push({ type: 'rich_text_section', elements: elements.length === 0 ? textsOf(' ') : elements })
      this.write(isText ? others : blocks, level + 1)
    }
  }

  #emptyList(start: number | undefined, index: number, level: number): NumberedList {
    const offset = start === undefined ? 0 : Math.max(0, start + index - 1)
    return {
      type: 'rich_text_list',
      style: start === undefined ? 'bullet' : 'ordered',
      indent: Math.min(level, maxIndent),
      elements: [],
      ...(offset > 0 && { offset }),
      ...this.#border,
    }
  }
}

const piecesIn = (element: Element): readonly RichTextElement[] =>
  element.type === 'rich_text_list' ? element.elements.flatMap(({ elements }) => elements) : element.elements

const lengthOf = (piece: RichTextElement): number => {
  if (piece.type === 'text') return piece.text.length
  return piece.type === 'link' ? piece.url.length : 0
}

/** Undefined if Slack would refuse it or nothing is visible. */
export const markupBlocks = (blocks: readonly Block[]): [RichTextBlock] | undefined => {
  const writer = new Writer()
  writer.write(blocks)
  const pieces = writer.elements.flatMap(piecesIn)
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  const isSeen = pieces.some((piece) => piece.type !== 'text' || piece.text.trim() !== '')
  if (!isSeen || length > maxTotal || pieces.length > maxTexts) return undefined
  return [{ type: 'rich_text', elements: writer.elements }]
}
