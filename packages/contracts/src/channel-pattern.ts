// Patterns of wirings: regular expressions whose cost is bounded before they are tried on what anybody writes.
import { limits } from './limits.ts'

/** Patterns of wirings, as they may be: read by a machine that takes time in proportion to text times pattern, and small enough
 * that this is little. Repeats are counted before they are unfolded: a short pattern can stand for a very long one. */
const repeats = /\{(\d{0,9}),?(\d{0,9})/g

const isSmall = (pattern: string): boolean => {
  const counts = [...pattern.matchAll(repeats)].map(([, least, most]) => Math.max(Number(least), Number(most)))
  return counts.reduce((sum, count) => sum + count, 0) <= limits.channelPatternSteps
}

/** Null where it cannot be read, or is too costly to be tried on what anybody writes. */
export const boundedPattern = <M extends { programSize(): number }>(pattern: string, compile: (pattern: string) => M): M | null => {
  if (!isSmall(pattern)) return null
  try {
    const machine = compile(pattern)
    return machine.programSize() <= limits.channelPatternSteps ? machine : null
  } catch {
    return null
  }
}
