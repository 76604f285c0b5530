// Long sentences at a terminal: broken between words, each further line below the first. A pipe gets them as they are.
import type { Place } from './table.ts'

/** Narrower than this nothing is gained. */
const narrowest = 20

/** `indent`: the column that the text begins at. */
export const wrap = (text: string, indent: number, { isTTY, columns = 0 }: Place): string => {
  const room = columns - indent
  if (isTTY !== true || room < narrowest || text.length <= room) return text
  const lines: string[] = []
  const [first = '', ...words] = text.trimStart().split(' ')
  let line = `${' '.repeat(text.length - text.trimStart().length)}${first}`
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
