// Parses e-mail without blocking the event loop: anyone can send a large one. Extends the parser in two ways: it yields between lines,
// and a text part with a file name is an attachment, not a part of the message.
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatBounds } from '@gatehouse/contracts'
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime'
import * as v from 'valibot'

/** Lines per turn of the event loop. */
const inOneTurn = 128
/** Above `fewLines` lines an e-mail needs an average line length of `bytesPerLine`, as encoded content has. */
const { lines: fewLines, bytesPerLine } = formatBounds.email

export type ParsedEmail = Email & {
  /** Its first text part is empty, so what follows may be inserted text of another person. */
  readonly beginsEmpty: boolean
}

const method = (name: string): unknown => Reflect.get(PostalMime.prototype, name)
const [readLine, isText] = [method('processLine'), method('isInlineTextNode')]

const Header = v.object({ parsed: v.object({ params: v.record(v.string(), v.unknown()) }) })
const Named = v.object({ contentDisposition: Header, contentType: Header })
const Part = v.object({ getTextContent: v.function() })

/** @param part a node of the parser */
const hasName = (part: unknown): boolean => {
  const { contentDisposition, contentType } = v.parse(Named, part)
  return contentDisposition.parsed.params['filename'] !== undefined || contentType.parsed.params['name'] !== undefined
}

/** The approximate text of a part, without HTML tags. */
const partText = (part: unknown): string =>
  String(Reflect.apply(v.parse(Part, part).getTextContent, part, [])).replaceAll(/<[^<>]*>|&nbsp;|&#160;/gi, '')

class Parser extends PostalMime {
  #lines = 0
  #first: string | undefined

  get beginsEmpty(): boolean {
    return this.#first?.trim() === ''
  }

  isInlineTextNode(part: unknown): boolean {
    if (typeof isText !== 'function') throw new TypeError('the mail parser has no method isInlineTextNode')
    if (Reflect.apply(isText, this, [part]) !== true || hasName(part)) return false
    this.#first ??= partText(part)
    return true
  }

  async processLine(...line: readonly unknown[]): Promise<void> {
    if (typeof readLine !== 'function') throw new TypeError('the mail parser has no method processLine')
    this.#lines += 1
    if (this.#lines % inOneTurn === 0) await nextTurn()
    await Reflect.apply(readLine, this, line)
  }
}

const countLines = (source: Uint8Array): number => {
  let lines = 1
  for (let at = source.indexOf(10); at >= 0; at = source.indexOf(10, at + 1)) lines += 1
  return lines
}

/** Throws for invalid e-mail and for one with too many short lines. */
export const parseEmail = async (source: Uint8Array, options?: PostalMimeOptions): Promise<ParsedEmail> => {
  const lines = countLines(source)
  if (lines > fewLines + source.length / bytesPerLine) throw new RangeError(`e-mail refused: ${lines} lines in ${source.length} bytes`)
  const parser = new Parser(options)
  const email = await parser.parse(source)
  return { ...email, beginsEmpty: parser.beginsEmpty }
}

/** Maximum length in UTF-16 code units, more than a message can have. */
const maxLength = 512 * 1024

/** The parser renders HTML as text only next to a text part. */
const wrap = (html: string): string => {
  const cut = randomUUID()
  const part = (type: string, body: string): string => `--${cut}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`
  return `Content-Type: multipart/mixed; boundary="${cut}"\r\n\r\n${part('plain', '')}${part('html', html)}--${cut}--\r\n`
}

export const textOfHtml = async (html: string): Promise<string> => {
  const { text = '' } = await parseEmail(Buffer.from(wrap(html.slice(0, maxLength).replaceAll(/\r?\n/g, ' '))))
  return text.trim()
}
