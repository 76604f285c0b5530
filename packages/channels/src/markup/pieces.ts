// Converts inline tokens into pieces. Unsupported markup, such as HTML, becomes text.
import type { Token } from 'markdown-it'
import { linkPieces, takeLinkTail, targetOf, withBareLinks } from './link.ts'
import type { Cursor } from './place.ts'
import type { Line, Piece, Style } from './tree.ts'

/** Bidirectional control characters, which can show an address backwards. */
const bidiControls = /[\u202A-\u202E\u2066-\u2069]/g

export const stripBidiControls = (text: string): string => text.replaceAll(bidiControls, '')

const styles: Readonly<Record<string, keyof Style>> = {
  strong_open: 'bold',
  strong_close: 'bold',
  em_open: 'italic',
  em_close: 'italic',
  s_open: 'strike',
  s_close: 'strike',
}

const textOf = (value: string | number | null): string => stripBidiControls(String(value ?? ''))

class Writer {
  readonly #cursor: Cursor
  readonly #done: Piece[] = []
  /** Nesting depth by style. */
  readonly #open: Record<keyof Style, number> = { bold: 0, italic: 0, strike: 0, code: 0 }
  /** The open link. Links do not nest. */
  #link: { readonly token: Token; readonly from: number; readonly position: number } | undefined

  constructor(cursor: Cursor) {
    this.#cursor = cursor
  }

  get pieces(): readonly Piece[] {
    return this.#done
  }

  read(token: Token): void {
    const style = styles[token.type]
    if (style !== undefined) this.#open[style] += token.nesting
    else if (token.type === 'link_open') this.#openLink(token)
    else if (token.type === 'link_close') this.#closeLink()
    else this.#write(token)
  }

  /** `written`: the source, if it differs from the text. */
  #styled(text: string, { at, written }: Pick<Piece, 'at' | 'written'>): Piece {
    const { bold, italic, strike } = this.#open
    const shown = stripBidiControls(text)
    const source = written ?? (shown === text ? undefined : [{ text, at }])
    return {
      text: shown,
      at,
      ...(source !== undefined && { written: source }),
      ...(bold > 0 && { bold: true as const }),
      ...(italic > 0 && { italic: true as const }),
      ...(strike > 0 && { strike: true as const }),
    }
  }

  #write(token: Token): void {
    const { type, content, markup } = token
    if (type === 'softbreak' || type === 'hardbreak') this.#done.push({ text: '\n', at: this.#cursor.find('\n') })
    else if (type === 'code_inline') this.#code(content)
    else if (type === 'image') this.#done.push(this.#image(token))
    else if (content !== '') this.#text(content, type === 'text_special' ? markup : content)
  }

  #code(content: string): void {
    for (const { text, at } of this.#cursor.findCode(content))
      this.#done.push({ ...this.#styled(text.replace('\n', ' '), { at }), code: true })
  }

  #text(content: string, written: string): void {
    const at = this.#cursor.find(written)
    const piece = this.#styled(content, written === content ? { at } : { at, written: [{ text: written, at }] })
    this.#done.push(...(this.#link === undefined ? withBareLinks(piece) : [piece]))
  }

  #image({ content: alt, attrs }: Token): Piece {
    const [, address = ''] = attrs?.find(([name]) => name === 'src') ?? []
    const at = this.#cursor.find('![')
    const from = this.#cursor.position - 2
    this.#cursor.find(alt)
    takeLinkTail(this.#cursor)
    const written = this.#cursor.take(from, this.#cursor.position)
    return this.#styled(`${alt === '' ? 'image' : alt} (${textOf(address)})`, { at, written })
  }

  #openLink(token: Token): void {
    if (token.markup !== 'autolink') this.#cursor.find('[')
    this.#link = { token, from: this.#done.length, position: this.#cursor.position }
  }

  #closeLink(): void {
    const { token, from = 0, position = 0 } = this.#link ?? {}
    this.#link = undefined
    if (token === undefined) return
    const target = targetOf(textOf(token.attrGet('href')))
    const label = this.#done.splice(from)
    const tail = token.markup === 'autolink' ? {} : { tail: takeLinkTail(this.#cursor) }
    const written = this.#cursor.take(position, this.#cursor.position)
    const title = textOf(token.attrGet('title'))
    this.#done.push(...(target === undefined ? label : linkPieces({ label, target, title, written, ...tail })))
  }
}

const endOf = ({ text, at, written }: Piece): number => {
  const last: Line = written === undefined ? { text, at } : (written.at(-1) ?? { text: '', at })
  return last.at + last.text.length
}

/** No piece starts before the previous one ends, so that splitting keeps their order. */
const inOrder = (pieces: readonly Piece[]): readonly Piece[] => {
  let end = -Infinity
  return pieces.map((piece) => {
    const at = Math.max(piece.at, end)
    const placed = { ...piece, at }
    end = Math.max(end, endOf(placed))
    return placed
  })
}

export const piecesOf = (tokens: readonly Token[], cursor: Cursor): readonly Piece[] => {
  const writer = new Writer(cursor)
  for (const token of tokens) writer.read(token)
  return inOrder(writer.pieces)
}
