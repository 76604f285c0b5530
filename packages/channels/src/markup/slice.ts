// Slices parsed text by source positions. A block that is cut continues in the next part: a code block is closed and opened again, and
// a list item has its mark once.
import type { Block, Item, Line, List, Piece } from './tree.ts'

export interface Span {
  readonly from: number
  readonly to: number
}

const isIn = (at: number, { from, to }: Span): boolean => at >= from && at < to

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Offset in the line for a source position. Never inside a character. */
const cutAt = ({ text, at }: Line, place: number): number => {
  const cut = Math.min(Math.max(place - at, 0), text.length)
  return isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut
}

/** One line or none. Each character is in exactly one part, even if its position is inexact. */
const cutText = <T extends Line>(line: T, { from, to }: Span): T[] => {
  if (line.text === '') return isIn(line.at, { from, to }) ? [line] : []
  const [start, end] = [cutAt(line, from), cutAt(line, to)]
  return start < end ? [{ ...line, text: line.text.slice(start, end), at: line.at + start }] : []
}

const isWhole = (lines: readonly Line[], { from, to }: Span): boolean => lines.every(({ text, at }) => at >= from && at + text.length <= to)

/** A piece that is cut is shown as its source text, and a link becomes text. */
const cutPiece = ({ link, written, ...piece }: Piece, span: Span): Piece[] => {
  const lines = written ?? [piece]
  if (lines.length === 0 || piece.text === '') return isIn(piece.at, span) ? [piece] : []
  if (isWhole(lines, span)) return [{ ...piece, ...(link !== undefined && { link }), ...(written !== undefined && { written }) }]
  return lines.flatMap((line) => cutText(line, span)).map(({ text, at }) => ({ ...piece, text, at }))
}

const isBlank = ({ text }: Piece): boolean => text.trim() === ''

/** Drops blank pieces at both ends. */
const trimmed = (pieces: readonly Piece[]): readonly Piece[] => {
  const first = pieces.findIndex((piece) => !isBlank(piece))
  const last = pieces.findLastIndex((piece) => !isBlank(piece))
  return first < 0 ? [] : pieces.slice(first, last + 1)
}

const cutPieces = (pieces: readonly Piece[], span: Span): readonly Piece[] => {
  const kept = pieces.flatMap((piece) => cutPiece(piece, span))
  return kept.length === pieces.length ? kept : trimmed(kept)
}

const cutItem = (item: Item, span: Span): Item[] => {
  const blocks = sliceOf(item.blocks, span)
  if (isIn(item.at, span)) return [{ ...item, blocks }]
  return blocks.length > 0 ? [{ at: item.at, blocks, continued: true }] : []
}

const cutList = (list: List, span: Span): Block[] => {
  const items = list.items.map((item) => cutItem(item, span))
  const first = items.findIndex((cut) => cut.length > 0)
  if (first < 0) return []
  return [{ ...list, start: list.start === undefined ? undefined : list.start + first, items: items.flat() }]
}

const cutBlock = (block: Block, span: Span): Block[] => {
  if (block.kind === 'rule') return isIn(block.at, span) ? [block] : []
  if (block.kind === 'list') return cutList(block, span)
  if (block.kind === 'quote') {
    const blocks = sliceOf(block.blocks, span)
    return blocks.length > 0 ? [{ ...block, blocks }] : []
  }
  if (block.kind === 'code') {
    const lines = block.lines.flatMap((line) => cutText(line, span))
    return lines.length > 0 ? [{ ...block, lines }] : []
  }
  if (block.kind === 'table') {
    const rows = block.rows.filter(({ at }) => isIn(at, span))
    return rows.length > 0 ? [{ ...block, rows }] : []
  }
  const pieces = cutPieces(block.pieces, span)
  return pieces.length > 0 ? [{ ...block, pieces }] : []
}

export const sliceOf = (blocks: readonly Block[], span: Span): readonly Block[] => blocks.flatMap((block) => cutBlock(block, span))
