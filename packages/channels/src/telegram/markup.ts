// Renders agent messages for Telegram: plain text with entities, counted in UTF-16 code units.
import type { MessageEntity } from 'grammy/types'
import { tableText } from '../markup/table.ts'
import type { Block, List, Piece, Style } from '../markup/tree.ts'
import { type CardText, most } from './cards.ts'

/** Somewhat more than Telegram finds. */
const name = /(?<![\p{L}\p{N}_])@\w{2,}/gu

const endOf = ({ offset, length }: MessageEntity): number => offset + length

/** What of it lies outside. */
const without = (entity: MessageEntity, from: number, to: number): MessageEntity[] => {
  if (endOf(entity) <= from || entity.offset >= to || entity.type === 'blockquote') return [entity]
  // It is none without all of what it shows.
  if (entity.type === 'text_link') return []
  return [
    { ...entity, length: from - entity.offset },
    { ...entity, offset: to, length: endOf(entity) - to },
  ].filter(({ length }) => length > 0)
}

const quiet = new Set(['pre', 'code', 'text_link'])

const isQuiet = (entity: MessageEntity, from: number, to: number): boolean =>
  quiet.has(entity.type) && entity.offset <= from && endOf(entity) >= to

/** Entities by which nobody is called. */
const muted = (text: string, entities: readonly MessageEntity[]): MessageEntity[] => {
  let all = [...entities]
  for (const { index, 0: found } of text.matchAll(name)) {
    const to = index + found.length
    if (all.some((entity) => isQuiet(entity, index, to))) continue
    all = [...all.flatMap((entity) => without(entity, index, to)), { type: 'code', offset: index, length: found.length }]
  }
  return all
}

/** Telegram leaves out what is more, without a word. */
const mostEntities = 100

const names = { bold: 'bold', italic: 'italic', strike: 'strikethrough' } as const

/** Telegram takes links of names with a dot alone; the rest stands there as text. */
const mayFollow = (link: string): boolean => /^https?:\/\/[^/]*[^/.]\.[^/.]/.test(link)

class Writer {
  text = ''
  readonly entities: MessageEntity[] = []
  /** What each line begins with. */
  #indent = ''
  /** Where the quotation began that is open. */
  #quoted: number | undefined

  blocks(blocks: readonly Block[], gap = '\n\n'): void {
    for (const [index, block] of blocks.entries()) {
      if (index > 0) this.#gap(gap)
      this.#block(block)
    }
  }

  #block(block: Block): void {
    if (block.kind === 'paragraph') this.#pieces(block.pieces)
    else if (block.kind === 'heading') this.#pieces(block.pieces.map((piece) => ({ ...piece, bold: true })))
    else if (block.kind === 'rule') this.text += '────────'
    else if (block.kind === 'code') this.#pre(block.lines.map(({ text }) => text).join('\n'), block.language)
    else if (block.kind === 'table') this.#pre(tableText(block.rows), undefined)
    else if (block.kind === 'list') this.#list(block)
    else this.#quote(block.blocks)
  }

  #gap(gap: string): void {
    this.text += gap + this.#indent
  }

  #entity(entity: MessageEntity): void {
    const { offset, length } = entity
    const inside = this.text.slice(offset, offset + length)
    if (inside.trim() !== '') this.entities.push(entity)
  }

  #pieces(pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#piece(piece)
  }

  #piece({ text, link, code, ...style }: Piece): void {
    const offset = this.text.length
    this.text += text.toWellFormed().replaceAll('\n', `\n${this.#indent}`)
    const length = this.text.length - offset
    if (link !== undefined && mayFollow(link)) this.#entity({ type: 'text_link', offset, length, url: link })
    // What is code is nothing else there.
    else if (code === true) this.#entity({ type: 'code', offset, length })
    else for (const type of this.#stylesOf(style)) this.#entity({ type, offset, length })
  }

  #stylesOf({ bold, italic, strike }: Style): (typeof names)[keyof typeof names][] {
    return [...(bold ? [names.bold] : []), ...(italic ? [names.italic] : []), ...(strike ? [names.strike] : [])]
  }

  #pre(text: string, language: string | undefined): void {
    const offset = this.text.length
    this.text += text.toWellFormed()
    this.#entity({ type: 'pre', offset, length: this.text.length - offset, ...(language !== undefined && { language }) })
  }

  /** One in another is one: Telegram knows no more. */
  #quote(blocks: readonly Block[]): void {
    const isOuter = this.#quoted === undefined
    this.#quoted ??= this.text.length
    this.blocks(blocks)
    if (!isOuter) return
    this.#entity({ type: 'blockquote', offset: this.#quoted, length: this.text.length - this.#quoted })
    this.#quoted = undefined
  }

  #list({ start, items }: List): void {
    const before = this.#indent
    for (const [index, { blocks, continued }] of items.entries()) {
      if (index > 0) this.#gap('\n')
      const mark = start === undefined ? '• ' : `${start + index}. `
      this.text += continued === true ? '' : mark
      this.#indent = `${before}${' '.repeat(mark.length)}`
      this.blocks(blocks, '\n')
      this.#indent = before
    }
  }
}

/** The larger ones first, as Telegram wants those that hold others. */
const inOrder = (entities: readonly MessageEntity[]): MessageEntity[] =>
  entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length)

/** Styles go first, then the rest of what calls nobody by being there. */
const within = (text: string, entities: readonly MessageEntity[]): CardText | undefined => {
  const all = muted(text, entities)
  if (all.length <= mostEntities) return { text, entities: inOrder(all) }
  const quiet = all.filter(({ type }) => type === 'code' || type === 'pre')
  return quiet.length <= mostEntities ? { text, entities: inOrder(quiet) } : undefined
}

/** It calls nobody, whatever it holds. */
export const plainText = (text: string): CardText => {
  const whole = text.toWellFormed()
  const joined = whole.replaceAll(/@(?=\w)/g, '@\u2060')
  return within(whole, []) ?? { text: joined.length <= most ? joined : whole.replaceAll('@', ' '), entities: [] }
}

/** Undefined: Telegram would not take it, or not all of it. */
export const markupText = (blocks: readonly Block[]): CardText | undefined => {
  const writer = new Writer()
  writer.blocks(blocks)
  const { text, entities } = writer
  return text.length > most || text.trim() === '' ? undefined : within(text, entities)
}
