// Text in columns for help pages.
import { styleText } from 'node:util'

const widest = 100

export const widthOf = (stream: NodeJS.WriteStream): number => Math.max(40, Math.min(widest, stream.columns || 80))

export const wrap = (text: string, width: number): string[] =>
  text.split('\n').flatMap((paragraph) => {
    const lines: string[] = ['']
    for (const word of paragraph.split(' ')) {
      const line = lines.at(-1) ?? ''
      if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
      else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    }
    return lines
  })

export const section = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', styleText('bold', name, { stream: process.stdout }), ...lines.map((line) => `  ${line}`.trimEnd())]

/** Terms at the left, what they mean at the right. */
export const columns = (rows: readonly (readonly [term: string, meaning: string])[], width: number): string[] => {
  const left = Math.min(34, Math.max(0, ...rows.map(([term]) => term.length)))
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, width - left - 4)
    const own = term.length > left ? [term] : []
    const rest =
      own.length === 0
        ? [`${term.padEnd(left)}  ${lines[0] ?? ''}`, ...lines.slice(1).map((line) => ' '.repeat(left + 2) + line)]
        : lines.map((line) => ' '.repeat(left + 2) + line)
    return [...own, ...rest]
  })
}
