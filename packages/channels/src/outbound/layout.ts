// How what an agent wrote is laid out, part by part. Where it is cut does not depend on it: of a message that is half sent, the rest
// goes out, whatever version sent the first half.
import { readMarkup } from '../markup/read.ts'
import { sliceOf } from '../markup/slice.ts'
import type { Block } from '../markup/tree.ts'
import type { Cutting } from './split.ts'

export interface Written {
  /** All that goes out. */
  readonly text: string
  /** What of it the agent wrote: it begins with it. The rest is no markup. */
  readonly words: string
}

const noteOf = ({ text, words }: Written): Block[] => {
  const note = text.slice(words.length)
  return note === '' ? [] : [{ kind: 'paragraph', pieces: [{ text: note.trimStart(), at: text.length - note.trimStart().length }] }]
}

/** A row of a table stands in one part or goes out as it was written: of half of it nobody knows which column it is. */
const cutsRow = (blocks: readonly Block[], place: number): boolean =>
  blocks.some((block) => {
    if (block.kind === 'table') return block.rows.some(({ at, to }) => at < place && place < to)
    if (block.kind === 'quote') return cutsRow(block.blocks, place)
    return block.kind === 'list' && block.items.some((item) => cutsRow(item.blocks, place))
  })

/** By part. Undefined: all of it goes out as it stands. */
export const layoutOf = (written: Written, parts: readonly Cutting[]): (readonly Block[])[] | undefined => {
  const blocks = readMarkup(written.words)
  if (blocks === undefined || parts.some(({ at }) => cutsRow(blocks, at))) return undefined
  const whole = [...blocks, ...noteOf(written)]
  const slices = parts.map(({ at }, part) => sliceOf(whole, { from: part === 0 ? -Infinity : at, to: parts[part + 1]?.at ?? Infinity }))
  return slices.some((slice) => slice.length > 0) ? slices : undefined
}
