// Finds a decision in the first line of an e-mail. Mail clients mark quotations in many ways and lose the marks when they wrap lines,
// but none places quoted text above its user's first line without an attribution.
import { lowerASCII } from '@gatehouse/contracts'
import type { Email } from 'postal-mime'
import { type DecisionCommand, parseCommand } from '../commands/command.ts'
import { type ParsedEmail, textOfHtml } from './parse.ts'

/** The start of a quotation in the HTML of common mail clients. */
const quotationStart =
  /<(?:blockquote\b|[a-z][^<>]*(?:gmail_quote|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|zmail_extra|divRplyFwdMsg|OutlookMessageHeader|mail-quote))/i

/** The HTML above the first quotation. */
const htmlAboveQuotation = (html: string): string => {
  const at = html.search(quotationStart)
  return at < 0 ? html : html.slice(0, at)
}

const blockEnd = '</blockquote>'

/** The HTML with all quotations replaced by one marked line. */
const htmlWithoutQuotation = (html: string): string => {
  const above = htmlAboveQuotation(html)
  if (above.length === html.length) return html
  const end = lowerASCII(html).lastIndexOf(blockEnd)
  return `${above}<p>&gt;</p>${end < above.length ? '' : html.slice(end + blockEnd.length)}`
}

const isMarked = (line: string): boolean => line.startsWith('>')

/** `On Monday, Ann wrote:` in any language. */
const isAttribution = (line: string): boolean => /[:：]\s*$/.test(line) && line.length <= 200

/** `-----Original Message-----`, a ruled line, or `From: Ann <ann@example.org>` in any language. */
const isBoundary = (line: string): boolean =>
  /^\s*[-_*=]{5}/.test(line) || /^\s*\*?\p{L}[\p{L}\p{M} -]{0,20}\*?\s?[:：]\*? .{0,200}@/u.test(line) || isAttribution(line)

/** Lines that may be the sender's own: those above the quotation, and those between or below lines marked with `>`. */
const unmarkedLines = (text: string): string[] => {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => isMarked(line) || isBoundary(line))
  const end = lines.findLastIndex(isMarked)
  const above = start < 0 ? lines : lines.slice(0, start)
  const firstMark = lines.findIndex(isMarked)
  const within = firstMark < 0 ? [] : lines.slice(firstMark, end + 1).filter((line) => !isMarked(line))
  return [...above, ...within, ...(end < 0 ? [] : lines.slice(end + 1))]
}

const isQuoted = (line: string): boolean => isMarked(line) || line.trim() === ''

/** Removes the quotation at the end. Returns the whole text if nothing else would be left. */
export const unquoted = (text: string): string => {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  let end = lines.length
  while (end > 0 && isQuoted(lines[end - 1] ?? '')) end -= 1
  if (!lines.slice(end).some((line) => line.startsWith('>'))) return text.trim()
  if (end > 0 && isAttribution(lines[end - 1] ?? '')) end -= 1
  const kept = lines.slice(0, end).join('\n').trim()
  return kept === '' ? text.trim() : kept
}

interface Opening {
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
