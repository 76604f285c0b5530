// Renders agent messages for Telegram: plain text with entities, in UTF-16 code units.
import type { MessageEntity } from 'grammy/types'
import { type Block, type List, type Piece, type Style, tableText } from '../markup/tree.ts'
import { type CardText, maxMessage } from './cards.ts'

/** A superset of what Telegram treats as a mention. */
const mentionPattern = /(?<![\p{L}\p{N}_])@\w{2,}/gu

const endOf = ({ offset, length }: MessageEntity): number => offset + length

/** The parts of the entity outside of the range. */
const without = (entity: MessageEntity, from: number, to: number): MessageEntity[] => {
  if (endOf(entity) <= from || entity.offset >= to || entity.type === 'blockquote') return [entity]
  // A partial link would not show its whole target.
  if (entity.type === 'text_link') return []
  return [
    { ...entity, length: from - entity.offset },
    { ...entity, offset: to, length: endOf(entity) - to },
  ].filter(({ length }) => length > 0)
}

const withoutMentions = new Set(['pre', 'code', 'text_link'])

const isQuiet = (entity: MessageEntity, from: number, to: number): boolean =>
  withoutMentions.has(entity.type) && entity.offset <= from && endOf(entity) >= to

/** Adds code entities so that no text is a mention. */
const muted = (text: string, entities: readonly MessageEntity[]): MessageEntity[] => {
  let all = [...entities]
  for (const { index, 0: found } of text.matchAll(mentionPattern)) {
    const to = index + found.length
    if (all.some((entity) => isQuiet(entity, index, to))) continue
    all = [...all.flatMap((entity) => without(entity, index, to)), { type: 'code', offset: index, length: found.length }]
  }
  return all
}

/** Telegram drops further entities silently. */
const maxEntities = 100

const names = { bold: 'bold', italic: 'italic', strike: 'strikethrough' } as const

/** Telegram accepts only links to host names with a dot. Other links are sent as text. */
const mayFollow = (link: string): boolean => /^https?:\/\/[^/]*[^/.]\.[^/.]/.test(link)

class Writer {
  text = ''
  readonly entities: MessageEntity[] = []
  /** Prefix of each line. */
  #indent = ''
  /** Start of the open quotation. */
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
    // Code cannot have other styles.
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

  /** Telegram has no nested quotations. */
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

/** Outer entities first, as Telegram requires. */
const inOrder = (entities: readonly MessageEntity[]): MessageEntity[] =>
  entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length)

/** Drops styles if there are too many entities. Undefined if the remaining ones are still too many. */
const fitEntities = (text: string, entities: readonly MessageEntity[]): CardText | undefined => {
  const all = muted(text, entities)
  if (all.length <= maxEntities) return { text, entities: inOrder(all) }
  const quiet = all.filter(({ type }) => type === 'code' || type === 'pre')
  return quiet.length <= maxEntities ? { text, entities: inOrder(quiet) } : undefined
}

/** Plain text without mentions, whatever it contains. */
export const plainText = (text: string): CardText => {
  const whole = text.toWellFormed()
  const joined = whole.replaceAll(/@(?=\w)/g, '@\u2060')
  return fitEntities(whole, []) ?? { text: joined.length <= maxMessage ? joined : whole.replaceAll('@', ' '), entities: [] }
}

/** Undefined if Telegram would refuse it or drop a part of it. */
export const markupText = (blocks: readonly Block[]): CardText | undefined => {
  const writer = new Writer()
  writer.blocks(blocks)
  const { text, entities } = writer
  return text.length > maxMessage || text.trim() === '' ? undefined : fitEntities(text, entities)
}
