// Finds quoted text in an e-mail, as mail programs mark it. Decisions do not depend on it: only the first line counts.
import { lowerASCII } from '@gatehouse/contracts'

/** What mail programs put around a quotation in HTML. */
const quotationStart =
  /<(?:blockquote\b|[a-z][^<>]*(?:gmail_quote|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|zmail_extra|divRplyFwdMsg|OutlookMessageHeader|mail-quote))/i

/** HTML until the first quotation. */
export const htmlAboveQuotation = (html: string): string => {
  const at = html.search(quotationStart)
  return at < 0 ? html : html.slice(0, at)
}

const blockEnd = '</blockquote>'

/** HTML with one marked line in place of all that is quoted. */
export const htmlWithoutQuotation = (html: string): string => {
  const above = htmlAboveQuotation(html)
  if (above.length === html.length) return html
  const end = lowerASCII(html).lastIndexOf(blockEnd)
  return `${above}<p>&gt;</p>${end < above.length ? '' : html.slice(end + blockEnd.length)}`
}

const isMarked = (line: string): boolean => line.startsWith('>')

/** `On Monday, Ann wrote:`, whatever the language. */
const isAttribution = (line: string): boolean => /[:：]\s*$/.test(line) && line.length <= 200

/** `-----Original Message-----`, a ruled line, or `From: Ann <ann@example.org>` in any language. */
const isBoundary = (line: string): boolean =>
  /^\s*[-_*=]{5}/.test(line) || /^\s*\*?\p{L}[\p{L}\p{M} -]{0,20}\*?\s?[:：]\*? .{0,200}@/u.test(line) || isAttribution(line)

/** Lines that are not known to be another's: those above the quotation, and those below one that is marked by `>`. */
export const unmarkedLines = (text: string): string[] => {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => isMarked(line) || isBoundary(line))
  const end = lines.findLastIndex(isMarked)
  const above = start < 0 ? lines : lines.slice(0, start)
  const firstMark = lines.findIndex(isMarked)
  const within = firstMark < 0 ? [] : lines.slice(firstMark, end + 1).filter((line) => !isMarked(line))
  return [...above, ...within, ...(end < 0 ? [] : lines.slice(end + 1))]
}

/** Leaves out what a mail program quoted of the message that is answered, where it stands at the end. */
const isQuoted = (line: string): boolean => isMarked(line) || line.trim() === ''

/** The whole text where nothing but a quotation would be left out. */
export const unquoted = (text: string): string => {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  let end = lines.length
  while (end > 0 && isQuoted(lines[end - 1] ?? '')) end -= 1
  if (!lines.slice(end).some((line) => line.startsWith('>'))) return text.trim()
  if (end > 0 && isAttribution(lines[end - 1] ?? '')) end -= 1
  const kept = lines.slice(0, end).join('\n').trim()
  return kept === '' ? text.trim() : kept
}
