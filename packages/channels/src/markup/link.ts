// Which addresses can be followed. They are shown whole, as they are understood: no label hides where it leads.
import { limits } from '@gatehouse/contracts'
import type { Piece } from './tree.ts'

const schemes = new Set(['http:', 'https:', 'mailto:'])

/** In ASCII, as a browser would call it; undefined: nobody may follow it. */
export const targetOf = (address: string): string | undefined => {
  const url = URL.parse(address)
  if (url === null || !schemes.has(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.href.length <= limits.markupLink ? url.href : undefined
}

/** As it was written where that is the same. */
const shownFor = (target: string, written: string): string => (`${written}/` === target ? written : target)

const isSame = (label: string, target: string): boolean => targetOf(label) === target || targetOf(`mailto:${label}`) === target

export interface Link {
  readonly label: readonly Piece[]
  readonly target: string
  readonly title: string
  /** Of the end of its label. */
  readonly at: number
}

/** `label (https://target)`, or the target alone where the label says the same. */
export const linkPieces = ({ label, target, title, at }: Link): Piece[] => {
  const [first] = label
  const written = label
    .map(({ text }) => text)
    .join('')
    .trim()
  const note = title === '' ? '' : ` "${title}"`
  if (written === '' || isSame(written, target)) {
    const link = { text: shownFor(target, written), link: target, at: first?.at ?? at }
    return note === '' ? [link] : [link, { text: note, at: at + target.length }]
  }
  return [...label, { text: ' (', at }, { text: target, link: target, at: at + 2 }, { text: `${note})`, at: at + 2 + target.length }]
}

const bare = /https?:\/\/[^\s<>"'`|]+/gi

/** What ends a sentence around it is none of it. */
const trimmed = (found: string): string => {
  const isOpen = found.includes('(')
  const isBehind = (sign: string): boolean => '.,:;!?*_~]'.includes(sign) || (sign === ')' && !isOpen)
  let end = found.length
  while (end > 0 && isBehind(found.charAt(end - 1))) end -= 1
  return found.slice(0, end)
}

/** The addresses that stand in a text become links to themselves. */
export const withBareLinks = (piece: Piece): Piece[] => {
  const pieces: Piece[] = []
  let end = 0
  for (const { index, 0: found } of piece.text.matchAll(bare)) {
    const written = trimmed(found)
    const target = targetOf(written)
    if (target === undefined) continue
    if (index > end) pieces.push({ ...piece, text: piece.text.slice(end, index), at: piece.at + end })
    pieces.push({ text: shownFor(target, written), link: target, at: piece.at + index })
    end = index + written.length
  }
  if (end < piece.text.length) pieces.push({ ...piece, text: piece.text.slice(end), at: piece.at + end })
  return pieces
}

export const hasBareLink = (text: string): boolean => /https?:\/\//i.test(text)
