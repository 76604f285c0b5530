// The parts of one outgoing message: texts, then files, each recorded separately. The same message always has the same parts.
// A long text is split between paragraphs, else lines, else words; never within a character.
import { type Delivery, limits, type SentFile, visible } from '@gatehouse/contracts'
import type { Capabilities } from '../channel.ts'
import { plainName } from '../file-name.ts'
import { readMarkup } from '../markup/read.ts'
import { sliceOf } from '../markup/slice.ts'
import type { Block } from '../markup/tree.ts'

const breaks = [/\n\s*\n/g, /\n/g, /\s/g]

interface Cut {
  /** End of this part and start of the next. */
  readonly end: number
  readonly next: number
}

/** The last break that uses at least half of the room. The break itself may start right behind the room. */
const lastBreak = (text: string, most: number, pattern: RegExp): Cut | undefined => {
  const cuts = [...text.slice(0, most + 1).matchAll(pattern)].map(({ index, 0: { length } }) => ({ end: index, next: index + length }))
  return cuts.findLast(({ end }) => end <= most && end > most / 2)
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

const cutOf = (text: string, most: number): Cut => {
  for (const pattern of breaks) {
    const cut = lastBreak(text, most, pattern)
    if (cut !== undefined) return cut
  }
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most
  return { end, next: end }
}

interface Cutting {
  readonly text: string
  /** Offset of its start. */
  readonly at: number
}

/** `most`: maximum length in UTF-16 code units, at least 2. Returns at least one part, which is empty for an empty text. */
export const split = (text: string, most: number): Cutting[] => {
  const parts: Cutting[] = []
  const whole = text.trimEnd()
  let at = 0
  while (whole.length - at > most) {
    const { end, next } = cutOf(whole.slice(at), most)
    parts.push({ text: whole.slice(at, at + end).trimEnd(), at })
    at += next
  }
  return [...parts, { text: whole.slice(at), at }].filter(({ text: one }, index) => one !== '' || (index === 0 && parts.length === 0))
}

/** The layout of an agent's text, part by part. Where a text is split does not depend on it, so that a half-sent message can be
 * completed by another version. */
interface Written {
  /** The whole outgoing text. */
  readonly text: string
  /** The agent's own text, a prefix of `text`. The rest is plain text. */
  readonly words: string
}

const noteOf = ({ text, words }: Written): Block[] => {
  const note = text.slice(words.length)
  return note === '' ? [] : [{ kind: 'paragraph', pieces: [{ text: note.trimStart(), at: text.length - note.trimStart().length }] }]
}

/** A table row is never split: half a row would lose its columns. */
const cutsRow = (blocks: readonly Block[], place: number): boolean =>
  blocks.some((block) => {
    if (block.kind === 'table') return block.rows.some(({ at, to }) => at < place && place < to)
    if (block.kind === 'quote') return cutsRow(block.blocks, place)
    return block.kind === 'list' && block.items.some((item) => cutsRow(item.blocks, place))
  })

/** Blocks by part. Undefined: send the text as it is. */
const layoutOf = (written: Written, parts: readonly Cutting[]): (readonly Block[])[] | undefined => {
  const blocks = readMarkup(written.words)
  if (blocks === undefined || parts.some(({ at }) => cutsRow(blocks, at))) return undefined
  const whole = [...blocks, ...noteOf(written)]
  const slices = parts.map(({ at }, part) => sliceOf(whole, { from: part === 0 ? -Infinity : at, to: parts[part + 1]?.at ?? Infinity }))
  return slices.some((slice) => slice.length > 0) ? slices : undefined
}

export interface CarriedFile {
  /** Index among the files of the message. */
  readonly number: number
  readonly name: string
  readonly size: number
}

export interface Part {
  readonly text: string
  /** The rendered layout; empty if nothing is visible, absent if the text is sent as it is. */
  readonly blocks?: readonly Block[]
  readonly files: readonly CarriedFile[]
}

type Can = Pick<Capabilities, 'length' | 'markup' | 'files'>

/** Paths that are safe to paste into a shell: the agent chose the name, and a person may copy the line. */
const harmless = /^[\w./@+-]+$/

/** Replaces a file that the channel does not accept. */
const absent = ({ path, size }: SentFile, { agentGroupID }: Pick<Delivery, 'agentGroupID'>): string => {
  const name = JSON.stringify(plainName(path, limits.channelFileName))
  const why = size === 0 ? 'is empty' : `cannot be sent here: ${size} bytes`
  const place = visible(path).replaceAll(/[\n\t]/g, ' ')
  const command = harmless.test(path) ? `svcctl files get ${agentGroupID} ${path}` : `svcctl files get ${agentGroupID}`
  return `[the file ${name} ${why}. It is at ${place}: ${command}]`
}

/** Some services refuse empty files. */
const carried = (files: readonly SentFile[], can: Can): CarriedFile[] => {
  let room = can.files.size
  return files.flatMap(({ path, size }, number) => {
    if (size === 0 || size > room) return []
    if (can.files.together) room -= size
    return [{ number, name: plainName(path, limits.channelFileName) || `file-${number + 1}`, size }]
  })
}

/** The agent's text and the notes in place of files, rendered if the channel supports it. */
const textsOf = (words: string, notes: readonly string[], can: Can): Omit<Part, 'files'>[] => {
  const text = [words, ...notes].filter((line) => line !== '').join('\n')
  const texts = split(text, can.length).filter((part) => part.text !== '')
  const layout = can.markup === undefined ? undefined : layoutOf({ text, words }, texts)
  return texts.map((part, index) => ({ text: part.text, ...(layout && { blocks: layout[index] ?? [] }) }))
}

/** Empty if there is nothing to send. */
export const partsOf = (delivery: Pick<Delivery, 'text' | 'files' | 'agentGroupID'>, can: Can): Part[] => {
  const going = carried(delivery.files, can)
  const left = delivery.files.filter((_, number) => !going.some((one) => one.number === number))
  const notes = left.map((file) => absent(file, delivery))
  const texts = textsOf(delivery.text.trimEnd(), notes, can)
  if (!can.files.together) return [...texts.map((one) => ({ ...one, files: [] })), ...going.map((file) => ({ text: '', files: [file] }))]
  const last = going.length > 0 || texts.length > 0 ? [{ text: '', ...texts.at(-1), files: going }] : []
  return [...texts.slice(0, -1).map((one) => ({ ...one, files: [] })), ...last]
}
