// Where a letter holds words that somebody else wrote, as mail programs mark them. A decision does not depend on this: it is the first
// line or nothing. It only tells whether a person seems to have meant a decision.
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

export const isMarked = (line: string): boolean => line.startsWith('>')

/** `On Monday, Ann wrote:`, whatever the language. */
export const isAttribution = (line: string): boolean => /[:：]\s*$/.test(line) && line.length <= 200

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
