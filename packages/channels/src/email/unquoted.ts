// Leaves out what a mail program quoted of the message that is answered, where it stands at the end.
import { isAttribution, isMarked } from './quotation.ts'

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
