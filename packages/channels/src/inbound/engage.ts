// Whether a message is meant for the agent, by the terms of its wiring. Patterns are tried by a machine that takes time in
// proportion to the text, whatever the pattern: one that takes for ever would silence every other channel.
import { type Admission, limits } from '@gatehouse/contracts'
import { RE2JS } from 're2js'
import type { Inbound } from '../channel.ts'

const compiled = new Map<string, RE2JS>()
const most = 256

const compile = (pattern: string): RE2JS => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= most) compiled.clear()
  const made = RE2JS.compile(pattern)
  compiled.set(pattern, made)
  return made
}

/** A pattern that this machine cannot read fits nothing. */
const fits = (pattern: string, text: string): boolean => {
  try {
    return compile(pattern).matcher(text.slice(0, limits.channelPattern)).find()
  } catch {
    return false
  }
}

export const isEngaged = (
  { engage, pattern }: Pick<Extract<Admission, { admitted: true }>, 'engage' | 'pattern'>,
  { mentioned, text }: Pick<Inbound, 'mentioned' | 'text'>,
): boolean => {
  if (engage === 'all') return true
  return engage === 'mention' ? mentioned : pattern !== undefined && fits(pattern, text)
}
