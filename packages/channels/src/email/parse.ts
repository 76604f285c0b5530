// Parses a letter without keeping the other channels waiting: anybody can send one. The library reads line by line, and lets
// nobody else have a turn before the last one. It also takes a text with the name of a file for words of the letter: here it is a file.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatBounds } from '@gatehouse/contracts'
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime'
import * as v from 'valibot'

/** Lines that are read in one turn of the event loop. */
const inOneTurn = 128
/** No letter is refused for fewer lines; above it each has so many bytes on average, as what is encoded has. */
const { lines: fewLines, bytesPerLine } = formatBounds.email

export type Letter = Email & {
  /** Its first part with words has none: what follows may be somebody else's that was put in. */
  readonly beginsEmpty: boolean
}

const method = (name: string): unknown => Reflect.get(PostalMime.prototype, name)
const [readLine, isText] = [method('processLine'), method('isInlineTextNode')]

const Header = v.object({ parsed: v.object({ params: v.record(v.string(), v.unknown()) }) })
const Named = v.object({ contentDisposition: Header, contentType: Header })
const Part = v.object({ getTextContent: v.function() })

/** A part of the library's. */
const hasName = (part: unknown): boolean => {
  const { contentDisposition, contentType } = v.parse(Named, part)
  return contentDisposition.parsed.params['filename'] !== undefined || contentType.parsed.params['name'] !== undefined
}

/** Of HTML what stands beside its tags, about. */
const wordsOf = (part: unknown): string =>
  String(Reflect.apply(v.parse(Part, part).getTextContent, part, [])).replaceAll(/<[^<>]*>|&nbsp;|&#160;/gi, '')

class Parser extends PostalMime {
  #lines = 0
  #first: string | undefined

  get beginsEmpty(): boolean {
    return this.#first?.trim() === ''
  }

  isInlineTextNode(part: unknown): boolean {
    if (typeof isText !== 'function') throw new TypeError('expected a parser that tells words from files')
    if (Reflect.apply(isText, this, [part]) !== true || hasName(part)) return false
    this.#first ??= wordsOf(part)
    return true
  }

  async processLine(...line: readonly unknown[]): Promise<void> {
    if (typeof readLine !== 'function') throw new TypeError('expected a parser that reads line by line')
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

/** Throws for what is no letter, and for one of very many lines. */
export const parseEmail = async (source: Uint8Array, options?: PostalMimeOptions): Promise<Letter> => {
  const lines = countLines(source)
  if (lines > fewLines + source.length / bytesPerLine)
    throw new RangeError(`a letter of ${source.length} bytes in ${lines} lines is not read`)
  const parser = new Parser(options)
  const email = await parser.parse(source)
  return { ...email, beginsEmpty: parser.beginsEmpty }
}
