// Formats names inside a sentence: plain names as they are, others quoted and escaped so they cannot mislead a reader.
import { visible } from '@gatehouse/contracts'

const plain = /^[A-Za-z0-9._/:@-]+$/
const maxNames = 8

export const quote = (name: string): string => (plain.test(name) ? name : visible(JSON.stringify(name)))

const list = (names: readonly string[]): string => {
  const rest = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `${names.slice(0, maxNames).map(quote).join(', ')}${rest}`
}

/** `the tool a`, `the tools a, b`, or `every tool` for an empty list. */
export const toolList = (tools: readonly string[]): string =>
  tools.length === 0 ? 'every tool' : `the ${tools.length === 1 ? 'tool' : 'tools'} ${list(tools)}`

/** `a, b`, or `none` for an empty list. */
export const nameList = (names: readonly string[]): string => (names.length === 0 ? 'none' : list(names))

/** `1 grant`, `2 grants`. */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
