// Names inside a sentence: plain where they are plain, quoted and escaped where they could mislead a reader.
import { visible } from '@gatehouse/contracts'

const plain = /^[A-Za-z0-9._/:@-]+$/
const shown = 8

export const quote = (name: string): string => (plain.test(name) ? name : visible(JSON.stringify(name)))

/** `the tool a`, `the tools a, b`, or `every tool` for an empty list. */
export const toolList = (tools: readonly string[]): string => {
  if (tools.length === 0) return 'every tool'
  const names = tools.slice(0, shown).map(quote).join(', ')
  const rest = tools.length > shown ? ` and ${tools.length - shown} more` : ''
  return `the ${tools.length === 1 ? 'tool' : 'tools'} ${names}${rest}`
}
