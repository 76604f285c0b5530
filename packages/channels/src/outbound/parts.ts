// The parts of one outgoing message: texts, then files, each recorded separately. The same message always has the same parts.
import { type Delivery, limits, type SentFile, visible } from '@gatehouse/contracts'
import type { Capabilities } from '../channel.ts'
import { plainName } from '../file-name.ts'
import { readMarkup } from '../markup/read.ts'
import { sliceOf } from '../markup/slice.ts'
import type { Block } from '../markup/tree.ts'
import { type Cutting, split } from './split.ts'

/** How what an agent wrote is laid out, part by part. Where it is cut does not depend on it: of a message that is half sent, the rest
 * goes out, whatever version sent the first half. */
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
const layoutOf = (written: Written, parts: readonly Cutting[]): (readonly Block[])[] | undefined => {
  const blocks = readMarkup(written.words)
  if (blocks === undefined || parts.some(({ at }) => cutsRow(blocks, at))) return undefined
  const whole = [...blocks, ...noteOf(written)]
  const slices = parts.map(({ at }, part) => sliceOf(whole, { from: part === 0 ? -Infinity : at, to: parts[part + 1]?.at ?? Infinity }))
  return slices.some((slice) => slice.length > 0) ? slices : undefined
}

export interface CarriedFile {
  /** Its place among the files of the message. */
  readonly number: number
  readonly name: string
  readonly size: number
}

export interface Part {
  readonly text: string
  /** How it is laid out; empty where nothing of it is seen, absent where it goes out as it stands. */
  readonly blocks?: readonly Block[]
  readonly files: readonly CarriedFile[]
}

type Can = Pick<Capabilities, 'length' | 'markup' | 'files'>

/** What a shell takes for nothing but a path: the agent chose it, and a person may copy the line. */
const harmless = /^[\w./@+-]+$/

/** What stands in place of a file that the channel does not take. */
const absent = ({ path, size }: SentFile, { agentGroupID }: Pick<Delivery, 'agentGroupID'>): string => {
  const name = JSON.stringify(plainName(path, limits.channelFileName))
  const why = size === 0 ? 'is empty' : `cannot be sent here: ${size} bytes`
  const place = visible(path).replaceAll(/[\n\t]/g, ' ')
  const command = harmless.test(path) ? `svcctl files get ${agentGroupID} ${path}` : `svcctl files get ${agentGroupID}`
  return `[the file ${name} ${why}. It is at ${place}: ${command}]`
}

/** A file without bytes is nothing that every service takes. */
const carried = (files: readonly SentFile[], can: Can): CarriedFile[] => {
  let room = can.files.size
  return files.flatMap(({ path, size }, number) => {
    if (size === 0 || size > room) return []
    if (can.files.together) room -= size
    return [{ number, name: plainName(path, limits.channelFileName) || `file-${number + 1}`, size }]
  })
}

/** What the agent wrote, and what is said in place of files, laid out where the channel does that. */
const textsOf = (words: string, notes: readonly string[], can: Can): Omit<Part, 'files'>[] => {
  const text = [words, ...notes].filter((line) => line !== '').join('\n')
  const texts = split(text, can.length).filter((part) => part.text !== '')
  const layout = can.markup === undefined ? undefined : layoutOf({ text, words }, texts)
  return texts.map((part, index) => ({ text: part.text, ...(layout && { blocks: layout[index] ?? [] }) }))
}

/** None where there is nothing to say. */
export const partsOf = (delivery: Pick<Delivery, 'text' | 'files' | 'agentGroupID'>, can: Can): Part[] => {
  const going = carried(delivery.files, can)
  const left = delivery.files.filter((_, number) => !going.some((one) => one.number === number))
  const notes = left.map((file) => absent(file, delivery))
  const texts = textsOf(delivery.text.trimEnd(), notes, can)
  if (!can.files.together) return [...texts.map((one) => ({ ...one, files: [] })), ...going.map((file) => ({ text: '', files: [file] }))]
  const last = going.length > 0 || texts.length > 0 ? [{ text: '', ...texts.at(-1), files: going }] : []
  return [...texts.slice(0, -1).map((one) => ({ ...one, files: [] })), ...last]
}
