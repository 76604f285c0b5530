// Finds a decision in the first line of an e-mail. Mail clients mark quotations in many ways and lose the marks when they wrap lines,
// but none places quoted text above its user's first line without an attribution.
import type { Email } from 'postal-mime'
import { type DecisionCommand, parseCommand } from '../commands/command.ts'
import { textOfHtml } from './html.ts'
import type { ParsedEmail } from './parse.ts'
import { htmlAboveQuotation, htmlWithoutQuotation, unmarkedLines } from './strip-quotes.ts'

export interface Opening {
  /** Empty unless the e-mail begins with a decision. */
  readonly unquotedText: string
  /** It contains a decision, but not in its first line, so it may be a quotation. */
  readonly isMisplaced: boolean
}

/** Normalizes line ends, non-breaking spaces and leading zero-width characters, which mail clients insert. */
const plainBlanks = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/^[\ufeff\u200b]+/, '')

const firstLine = (text: string): string =>
  plainBlanks(text)
    .split('\n')
    .find((line) => line.trim() !== '') ?? ''

const isSame = (one: DecisionCommand, other: DecisionCommand | undefined): boolean =>
  one.outcome === other?.outcome && one.change === other.change && one.digest === other.digest

/** In an e-mail without HTML, indentation can mark a quotation. */
const isIndented = (line: string, { html }: Pick<Email, 'html'>): boolean => html === undefined && /^\s/.test(line)

/** The HTML must show the same decision. Its line is complete, because clients wrap only the text part. */
const confirmed = async (line: string, email: Pick<Email, 'html'>): Promise<string> => {
  const word = parseCommand(line)
  if (word === undefined || isIndented(line, email)) return ''
  if (email.html === undefined) return line
  const shown = firstLine(await textOfHtml(htmlAboveQuotation(email.html)))
  return isSame(word, parseCommand(shown)) ? shown : ''
}

/** @param email `text` is rendered from its HTML if it has no text part */
export const readOpening = async (email: Pick<ParsedEmail, 'text' | 'html' | 'beginsEmpty'>, hasText: boolean): Promise<Opening> => {
  const { text = '', html, beginsEmpty } = email
  const line = firstLine(text)
  const unquotedText = beginsEmpty ? '' : await confirmed(line, email)
  if (unquotedText !== '') return { unquotedText, isMisplaced: false }
  const own = hasText || html === undefined ? text : await textOfHtml(htmlWithoutQuotation(html))
  return { unquotedText, isMisplaced: unmarkedLines(plainBlanks(own)).some((one) => parseCommand(one) !== undefined) }
}
