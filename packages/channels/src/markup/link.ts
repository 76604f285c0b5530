// Which addresses become links. Targets are always shown: no label can hide them.
import { limits } from '@gatehouse/contracts'
import Markdown from 'markdown-it'
import type { Cursor } from './place.ts'
import type { Line, Piece } from './tree.ts'

const schemes = new Set(['http:', 'https:', 'mailto:'])

/** The ASCII form that a browser would use; undefined if the link is not allowed. */
export const targetOf = (address: string): string | undefined => {
  const url = URL.parse(address)
  if (url === null || !schemes.has(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.href.length <= limits.markupLink ? url.href : undefined
}

/** The written form, if it is the same address. */
const shownFor = (target: string, written: string): string => (`${written}/` === target ? written : target)

const isSame = (label: string, target: string): boolean => targetOf(label) === target || targetOf(`mailto:${label}`) === target

export interface Link {
  readonly label: readonly Piece[]
  readonly target: string
  readonly title: string
  /** Its complete source text. */
  readonly written: readonly Line[]
  /** Absent if the address is the label. */
  readonly tail?: LinkTail
}

const startOf = ([first]: readonly Line[], otherwise: number): number => first?.at ?? otherwise

/** `label (https://target)`, or only the target if the label is the same. */
export const linkPieces = ({ label, target, title, written, tail }: Link): Piece[] => {
  const words = label
    .map(({ text }) => text)
    .join('')
    .trim()
  const note = title === '' ? '' : ` "${title}"`
  const at = startOf(written, 0)
  if (tail === undefined || words === '' || isSame(words, target))
    return [{ text: shownFor(target, words), link: target, at, written }, ...(note === '' ? [] : [{ text: note, at, written: [] }])]
  const { opening, address, rest } = tail
  const start = startOf(opening, at)
  return [
    ...label,
    { text: ' (', at: start, written: opening },
    { text: target, link: target, at: startOf(address, start), written: address },
    { text: `${note})`, at: startOf(rest, start), written: rest },
  ]
}

const bare = /https?:\/\/[^\s<>"'`|]+/gi

/** Removes trailing punctuation of the surrounding sentence. */
const trimmed = (found: string): string => {
  const isOpen = found.includes('(')
  const isBehind = (sign: string): boolean => '.,:;!?*_~]'.includes(sign) || (sign === ')' && !isOpen)
  let end = found.length
  while (end > 0 && isBehind(found.charAt(end - 1))) end -= 1
  return found.slice(0, end)
}

/** Turns bare addresses into links. Text whose source differs from its display is left as it is. */
export const withBareLinks = (piece: Piece): Piece[] => {
  if (piece.written !== undefined) return [piece]
  const pieces: Piece[] = []
  let end = 0
  for (const { index, 0: found } of piece.text.matchAll(bare)) {
    const written = trimmed(found)
    const target = targetOf(written)
    if (target === undefined) continue
    if (index > end) pieces.push({ ...piece, text: piece.text.slice(end, index), at: piece.at + end })
    const [shown, at] = [shownFor(target, written), piece.at + index]
    pieces.push({ text: shown, link: target, at, ...(shown !== written && { written: [{ text: written, at }] }) })
    end = index + written.length
  }
  if (end < piece.text.length) pieces.push({ ...piece, text: piece.text.slice(end), at: piece.at + end })
  return pieces
}

export const hasBareLink = (text: string): boolean => /https?:\/\//i.test(text)

/** The source text after the label of a link or image: `](address "title")`. The parser returns its meaning without its position, so
 * the parser's helpers locate it again. */
interface LinkTail {
  /** Text before the address. */
  readonly opening: readonly Line[]
  readonly address: readonly Line[]
  /** Text after the address, including the closing bracket. */
  readonly rest: readonly Line[]
}

const { helpers } = new Markdown()

const skipBlanks = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1
  return at
}

/** Position after the closing bracket. */
const endOf = (text: string, from: number): number => {
  const start = skipBlanks(text, from)
  const title = helpers.parseLinkTitle(text, start, text.length)
  const end = title.ok ? skipBlanks(text, title.pos) : start
  return text.charAt(end) === ')' ? end + 1 : end
}

/** Moves the cursor behind it. */
export const takeLinkTail = (cursor: Cursor): LinkTail => {
  const { content, position } = cursor
  const label = content.indexOf('](', position)
  const from = skipBlanks(content, label < 0 ? position : label + 2)
  const { ok, pos } = helpers.parseLinkDestination(content, from, content.length)
  const to = ok ? pos : from
  return { opening: cursor.take(position, from), address: cursor.take(from, to), rest: cursor.take(to, endOf(content, to)) }
}
