// Finds quoted text in an e-mail as mail clients mark it. Decisions do not depend on it: only the first line counts.
import { lowerASCII } from '@gatehouse/contracts'

/** The start of a quotation in the HTML of common mail clients. */
const quotationStart =
  /<(?:blockquote\b|[a-z][^<>]*(?:gmail_quote|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|zmail_extra|divRplyFwdMsg|OutlookMessageHeader|mail-quote))/i

/** The HTML above the first quotation. */
export const htmlAboveQuotation = (html: string): string => {
  const at = html.search(quotationStart)
  return at < 0 ? html : html.slice(0, at)
}

const blockEnd = '</blockquote>'

/** The HTML with all quotations replaced by one marked line. */
export const htmlWithoutQuotation = (html: string): string => {
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
export const unmarkedLines = (text: string): string[] => {
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
