// What follows the label of a link or an image in the text that was read: `](address "title")`. The parser says what it means, and not
// where it stands; its own helpers find that again.
import Markdown from 'markdown-it'
import type { Cursor } from './place.ts'
import type { Line } from './tree.ts'

export interface LinkTail {
  /** Up to the address. */
  readonly opening: readonly Line[]
  readonly address: readonly Line[]
  /** With the bracket that closes it. */
  readonly rest: readonly Line[]
}

const { helpers } = new Markdown()

const skipBlanks = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1
  return at
}

/** Where the last bracket is behind. */
const endOf = (text: string, from: number): number => {
  const start = skipBlanks(text, from)
  const title = helpers.parseLinkTitle(text, start, text.length)
  const end = title.ok ? skipBlanks(text, title.pos) : start
  return text.charAt(end) === ')' ? end + 1 : end
}

/** The cursor is behind it then. */
export const takeLinkTail = (cursor: Cursor): LinkTail => {
  const { content, position } = cursor
  const label = content.indexOf('](', position)
  const from = skipBlanks(content, label < 0 ? position : label + 2)
  const { ok, pos } = helpers.parseLinkDestination(content, from, content.length)
  const to = ok ? pos : from
  return { opening: cursor.take(position, from), address: cursor.take(from, to), rest: cursor.take(to, endOf(content, to)) }
}
