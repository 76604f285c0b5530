// Patterns of wirings: regular expressions with a bounded cost, because anyone's messages are matched against them.
import { limits } from './limits.ts'

/** Repeats are counted before they are expanded: a short pattern can stand for a very long one. */
const repeats = /\{(\d{0,9}),?(\d{0,9})/g

const isSmall = (pattern: string): boolean => {
  const counts = [...pattern.matchAll(repeats)].map(([, minimum, maximum]) => Math.max(Number(minimum), Number(maximum)))
  return counts.reduce((sum, count) => sum + count, 0) <= limits.channelPatternSteps
}

/** Compiles a pattern with an engine whose time is linear in the text. Null if the pattern is invalid or too large. */
export const boundedPattern = <M extends { programSize(): number }>(pattern: string, compile: (pattern: string) => M): M | null => {
  if (!isSmall(pattern)) return null
  try {
    const machine = compile(pattern)
    return machine.programSize() <= limits.channelPatternSteps ? machine : null
  } catch {
    return null
  }
}
