// Whether a message is addressed to the agent, by its wiring. Patterns run in a linear-time engine and are bounded in size, so that
// no pattern can block the other channels.
import { type Admission, boundedPattern, limits } from '@gatehouse/contracts'
import { RE2JS } from 're2js'
import type { Inbound } from '../channel.ts'

const compiled = new Map<string, RE2JS | null>()
const most = 256

const compile = (pattern: string): RE2JS | null => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= most) compiled.clear()
  const made = boundedPattern(pattern, (text) => RE2JS.compile(text))
  compiled.set(pattern, made)
  return made
}

/** A pattern that the engine cannot compile within its bounds matches nothing. */
const fits = (pattern: string, text: string): boolean => compile(pattern)?.matcher(text.slice(0, limits.channelPattern)).find() ?? false

export const isEngaged = (
  { engage, pattern }: Pick<Extract<Admission, { admitted: true }>, 'engage' | 'pattern'>,
  { mentioned, text }: Pick<Inbound, 'mentioned' | 'text'>,
): boolean => {
  if (engage === 'all') return true
  return engage === 'mention' ? mentioned : pattern !== undefined && fits(pattern, text)
}
