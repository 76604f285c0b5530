// What one message goes out as: its texts, then its files, each part noted by itself. The same message makes the same parts each time.
import { type Delivery, limits, type SentFile, visible } from '@gatehouse/contracts'
import type { Capabilities } from '../channel.ts'
import { plainName } from '../file-name.ts'
import { split } from './split.ts'

export interface CarriedFile {
  /** Its place among the files of the message. */
  readonly number: number
  readonly name: string
  readonly size: number
}

export interface Part {
  readonly text: string
  readonly files: readonly CarriedFile[]
}

type Can = Pick<Capabilities, 'length' | 'files'>

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

/** None where there is nothing to say. */
export const partsOf = (delivery: Pick<Delivery, 'text' | 'files' | 'agentGroupID'>, can: Can): Part[] => {
  const going = carried(delivery.files, can)
  const left = delivery.files.filter((_, number) => !going.some((one) => one.number === number))
  const text = [delivery.text.trimEnd(), ...left.map((file) => absent(file, delivery))].filter((line) => line !== '').join('\n')
  const texts = split(text, can.length).filter((part) => part !== '')
  if (!can.files.together) return [...texts.map((one) => ({ text: one, files: [] })), ...going.map((file) => ({ text: '', files: [file] }))]
  const last = going.length > 0 || texts.length > 0 ? [{ text: texts.at(-1) ?? '', files: going }] : []
  return [...texts.slice(0, -1).map((one) => ({ text: one, files: [] })), ...last]
}
