// Names inside a sentence: plain where they are plain, quoted and escaped where they could mislead a reader.
import { visible } from '@gatehouse/contracts'

const plain = /^[A-Za-z0-9._/:@-]+$/
const shown = 8

export const quote = (name: string): string => (plain.test(name) ? name : visible(JSON.stringify(name)))

const list = (names: readonly string[]): string => {
  const rest = names.length > shown ? ` and ${names.length - shown} more` : ''
  return `${names.slice(0, shown).map(quote).join(', ')}${rest}`
}

/** `the tool a`, `the tools a, b`, or `every tool` for an empty list. */
export const toolList = (tools: readonly string[]): string =>
  tools.length === 0 ? 'every tool' : `the ${tools.length === 1 ? 'tool' : 'tools'} ${list(tools)}`

/** `a, b`, or `none` for an empty list. */
export const nameList = (names: readonly string[]): string => (names.length === 0 ? 'none' : list(names))

/** `1 grant`, `2 grants`. */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
