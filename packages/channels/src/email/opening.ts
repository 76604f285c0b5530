// The first line of a letter, where a decision is read. Mail programs mark what they quote in many ways, or lose the marks where they
// break a line; but none puts another's words above the first ones of its user without a line that says so.
import type { Email } from 'postal-mime'
import { type DecisionWord, readWord } from '../commands/command.ts'
import { textOfHtml } from './html.ts'
import type { Letter } from './parse.ts'
import { htmlAboveQuotation, htmlWithoutQuotation, unmarkedLines } from './strip-quotes.ts'

export interface Opening {
  /** Empty where the letter does not begin with a decision. */
  readonly ownWords: string
  /** There is a decision in it, but not at its beginning: it may be another's. */
  readonly isUnclear: boolean
}

/** Programs write some blanks of HTML as others, and put marks without width before a text. */
const plainBlanks = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/^[\ufeff\u200b]+/, '')

const firstLine = (text: string): string =>
  plainBlanks(text)
    .split('\n')
    .find((line) => line.trim() !== '') ?? ''

const isSame = (one: DecisionWord, other: DecisionWord | undefined): boolean =>
  one.outcome === other?.outcome && one.change === other.change && one.digest === other.digest

/** A line of text alone may be indented to mark a quotation. */
const isIndented = (line: string, { html }: Pick<Email, 'html'>): boolean => html === undefined && /^\s/.test(line)

/** The line of the HTML is the whole one: programs break it in the text. */
const confirmed = async (line: string, email: Pick<Email, 'html'>): Promise<string> => {
  const word = readWord(line)
  if (word === undefined || isIndented(line, email)) return ''
  if (email.html === undefined) return line
  const shown = firstLine(await textOfHtml(htmlAboveQuotation(email.html)))
  return isSame(word, readWord(shown)) ? shown : ''
}

/** @param email with the text of its HTML where it has no other */
export const readOpening = async (email: Pick<Letter, 'text' | 'html' | 'beginsEmpty'>, hasText: boolean): Promise<Opening> => {
  const { text = '', html, beginsEmpty } = email
  const line = firstLine(text)
  const ownWords = beginsEmpty ? '' : await confirmed(line, email)
  if (ownWords !== '') return { ownWords, isUnclear: false }
  const own = hasText || html === undefined ? text : await textOfHtml(htmlWithoutQuotation(html))
  return { ownWords, isUnclear: unmarkedLines(plainBlanks(own)).some((one) => readWord(one) !== undefined) }
}
