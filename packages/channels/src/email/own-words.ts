// What of a letter its sender wrote itself: a decision is read in this alone, wherever mail programs put what they quote.
import type { Email } from 'postal-mime'
import { readWord } from '../cards/word.ts'
import { isAttribution, isQuoted, unquoted } from './unquoted.ts'

/** An attribution may be broken into so many lines. */
const longestAttribution = 3

/** Where a quotation ends that the text begins with; 0 where it does not. */
const endOfQuotation = (lines: readonly string[]): number => {
  const quote = lines.findIndex((line) => line.startsWith('>'))
  if (quote < 0) return 0
  const before = lines.slice(0, quote).filter((line) => line.trim() !== '')
  if (before.length > longestAttribution || (before.length > 0 && !isAttribution(before.at(-1) ?? ''))) return 0
  const end = lines.findIndex((line, index) => index > quote && !isQuoted(line))
  return end < 0 ? lines.length : end
}

/** Of mail in HTML alone quotations have no mark in the text: what is said before them there is looked for here. */
const isBeforeQuotation = (words: string, html: string): boolean => {
  const at = html.toLowerCase().indexOf('<blockquote')
  const before = at < 0 ? html : html.slice(0, at)
  const [first = ''] = words.split('\n')
  return first
    .split(/\s+/)
    .slice(0, 3)
    .every((word) => before.includes(word))
}

/** Empty where it cannot be told from what is quoted. */
export const ownWords = ({ text = '', html }: Pick<Email, 'text' | 'html'>): string => {
  const whole = unquoted(text)
  const lines = whole.split('\n')
  // Two lines before a quotation may be an attribution, or a decision and an attribution.
  const words = readWord(whole) === undefined ? lines.slice(endOfQuotation(lines)).join('\n').trim() : whole
  const isMarked = text.split('\n').some((line) => line.startsWith('>'))
  return isMarked || html === undefined || isBeforeQuotation(words, html) ? words : ''
}
