// Whether something of a list is not in another: what a change takes away.
import { canonical } from '@gatehouse/kernel'

/** What is no list holds nothing. */
export const isGone = (before: unknown, after: readonly unknown[]): boolean => {
  const kept = new Set(after.map(canonical))
  return Array.isArray(before) && before.some((item) => !kept.has(canonical(item)))
}
