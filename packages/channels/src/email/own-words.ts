// What of a letter its sender wrote itself: a decision is read in this alone, wherever mail programs put what they quote. Where one
// marks no quotation, a line of an agent's own may look like a mark: so HTML, which tells the two apart, is always asked too.
import type { Email } from 'postal-mime'
import { readWord } from '../cards/word.ts'
import { isAttribution, isQuoted, unquoted } from './unquoted.ts'

/** An attribution may be broken into so many lines. */
const longestAttribution = 3

const isMarked = (line: string): boolean => line.startsWith('>')

/** What follows a quotation that the text begins with; nothing where it goes on, since a long line of it may have lost its mark. */
const belowQuotation = (text: string): string => {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const quote = lines.findIndex(isMarked)
  const before = lines.slice(0, Math.max(quote, 0)).filter((line) => line.trim() !== '')
  if (before.length > longestAttribution || (before.length > 0 && !isAttribution(before.at(-1) ?? ''))) return ''
  const end = lines.findIndex((line, index) => index > quote && !isQuoted(line))
  const below = quote < 0 || end < 0 ? [] : lines.slice(end)
  return below.some(isMarked) ? '' : below.join('\n').trim()
}

const beforeQuotations = (html: string): string => {
  const at = html.search(/<blockquote/i)
  return at < 0 ? html : html.slice(0, at)
}

const behindQuotations = (html: string): string =>
  html
    .split(/<\/blockquote/i)
    .slice(1)
    .at(-1) ?? ''

/** Its first words, since markup may lie between them. */
const holds = (part: string, words: string): boolean => {
  const [first = ''] = words.split('\n')
  return first
    .split(/\s+/)
    .slice(0, 3)
    .every((word) => part.includes(word))
}

/** Empty where it cannot be told from what is quoted. */
export const ownWords = ({ text = '', html }: Pick<Email, 'text' | 'html'>): string => {
  const whole = unquoted(text)
  // Two lines before a quotation may be an attribution, or a decision and an attribution.
  const isAbove = readWord(whole) !== undefined
  const words = isAbove ? whole : belowQuotation(text)
  if (html === undefined) return words
  return holds(isAbove ? beforeQuotations(html) : behindQuotations(html), words) ? words : ''
}
