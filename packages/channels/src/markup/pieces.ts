// The pieces of a paragraph. What carries no meaning for us, such as HTML, is text.
import type { Token } from 'markdown-it'
import { linkPieces, targetOf, withBareLinks } from './link.ts'
import type { Cursor } from './place.ts'
import type { Piece, Style } from './tree.ts'

/** What turns the direction of the text around it: an address could be shown backwards. */
const turning = /[\u202A-\u202E\u2066-\u2069]/g

export const upright = (text: string): string => text.replaceAll(turning, '')

const styles: Readonly<Record<string, keyof Style>> = {
  strong_open: 'bold',
  strong_close: 'bold',
  em_open: 'italic',
  em_close: 'italic',
  s_open: 'strike',
  s_close: 'strike',
}

const textOf = (value: string | number | null): string => upright(String(value ?? ''))

/** Code has a blank where its line ended. */
const findCode = (cursor: Cursor, content: string): number => cursor.find(content.split(' ', 1)[0] ?? '')

class Writer {
  readonly #cursor: Cursor
  readonly #done: Piece[] = []
  /** How often each style was opened and not closed. */
  readonly #open: Record<keyof Style, number> = { bold: 0, italic: 0, strike: 0, code: 0 }
  /** The link that is open: links hold none. */
  #link: { readonly token: Token; readonly from: number } | undefined

  constructor(cursor: Cursor) {
    this.#cursor = cursor
  }

  get pieces(): readonly Piece[] {
    return this.#done
  }

  read(token: Token): void {
    const style = styles[token.type]
    if (style !== undefined) this.#open[style] += token.nesting
    else if (token.type === 'link_open') this.#link = { token, from: this.#done.length }
    else if (token.type === 'link_close') this.#closeLink()
    else this.#write(token)
  }

  #styled(text: string, at: number): Piece {
    const { bold, italic, strike } = this.#open
    return {
      text: upright(text),
      at,
      ...(bold > 0 && { bold: true as const }),
      ...(italic > 0 && { italic: true as const }),
      ...(strike > 0 && { strike: true as const }),
    }
  }

  #write({ type, content, markup, attrs }: Token): void {
    if (type === 'softbreak' || type === 'hardbreak') this.#done.push({ text: '\n', at: this.#cursor.find('\n') })
    else if (type === 'code_inline') this.#done.push({ ...this.#styled(content, findCode(this.#cursor, content)), code: true })
    else if (type === 'image') this.#done.push(this.#image(content, attrs))
    else if (content !== '') this.#text(content, type === 'text_special' ? markup : content)
  }

  #text(content: string, written: string): void {
    const piece = this.#styled(content, this.#cursor.find(written))
    this.#done.push(...(this.#link === undefined ? withBareLinks(piece) : [piece]))
  }

  #image(alt: string, attributes: Token['attrs']): Piece {
    const [, address = ''] = attributes?.find(([name]) => name === 'src') ?? []
    return this.#styled(`${alt === '' ? 'image' : alt} (${textOf(address)})`, this.#cursor.find(alt))
  }

  #closeLink(): void {
    const { token, from } = this.#link ?? {}
    this.#link = undefined
    if (token === undefined) return
    const target = targetOf(textOf(token.attrGet('href')))
    const label = this.#done.splice(from ?? 0)
    const at = this.#cursor.here
    // Nothing of what follows is looked for in the address.
    if (token.markup !== 'autolink') this.#cursor.find(target ?? '')
    this.#done.push(...(target === undefined ? label : linkPieces({ label, target, title: textOf(token.attrGet('title')), at })))
  }
}

/** None begins before the end of the one before: no cut puts a later one before an earlier one. */
const inOrder = (pieces: readonly Piece[]): readonly Piece[] => {
  let end = -Infinity
  return pieces.map((piece) => {
    const at = Math.max(piece.at, end)
    end = at + piece.text.length
    return { ...piece, at }
  })
}

export const piecesOf = (tokens: readonly Token[], cursor: Cursor): readonly Piece[] => {
  const writer = new Writer(cursor)
  for (const token of tokens) writer.read(token)
  return inOrder(writer.pieces)
}
