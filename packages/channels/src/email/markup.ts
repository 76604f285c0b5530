// Renders agent messages as HTML e-mail. All text is escaped, nothing is loaded from elsewhere, and the agent controls no style.
// Quotations are not `blockquote` elements, because mail clients mark quoted replies with these.
import type { Block, List, Piece } from '../markup/tree.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escape = (text: string): string => text.toWellFormed().replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const wrap = (tag: string, isOn: true | undefined, html: string): string => (isOn ? `<${tag}>${html}</${tag}>` : html)

const pieceHtml = ({ text, link, bold, italic, strike, code }: Piece): string => {
  const html = escape(text).replaceAll('\n', '<br>\n')
  if (link !== undefined) return `<a href="${escape(link)}" rel="noreferrer nofollow">${html}</a>`
  return wrap('b', bold, wrap('i', italic, wrap('s', strike, wrap('code', code, html))))
}

const piecesHtml = (pieces: readonly Piece[]): string => pieces.map(pieceHtml).join('')

const listHtml = ({ start, items }: List): string => {
  const inside = items
    .map(({ blocks, continued }) => `<li${continued ? ' style="list-style:none"' : ''}>${blocksHtml(blocks)}</li>`)
    .join('\n')
  return start === undefined ? `<ul>\n${inside}\n</ul>` : `<ol start="${start}">\n${inside}\n</ol>`
}

const cell = 'style="border:1px solid #999;padding:2px 6px"'
const quote = 'style="border-left:3px solid #999;margin:0 0 0 4px;padding-left:10px"'

const blockHtml = (block: Block): string => {
  if (block.kind === 'paragraph') return `<p>${piecesHtml(block.pieces)}</p>`
  if (block.kind === 'heading') return `<h${block.level}>${piecesHtml(block.pieces)}</h${block.level}>`
  if (block.kind === 'rule') return '<hr>'
  if (block.kind === 'code') return `<pre><code>${escape(block.lines.map(({ text }) => text).join('\n'))}</code></pre>`
  if (block.kind === 'list') return listHtml(block)
  if (block.kind === 'quote') return `<div ${quote}>${blocksHtml(block.blocks)}</div>`
  const rows = block.rows.map(({ cells }) => `<tr>${cells.map((pieces) => `<td ${cell}>${piecesHtml(pieces)}</td>`).join('')}</tr>`)
  return `<table style="border-collapse:collapse">\n${rows.join('\n')}\n</table>`
}

const blocksHtml = (blocks: readonly Block[]): string => blocks.map(blockHtml).join('\n')

export const markupHtml = (blocks: readonly Block[]): string =>
  `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${blocksHtml(blocks)}\n</body></html>\n`
