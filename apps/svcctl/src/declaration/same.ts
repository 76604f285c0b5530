// Whether two values mean the same.
import { mask } from '@gatehouse/contracts'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Deep equality without regard to the order of members. A mask stands for any text: what is stored is never shown. */
export const same = (wanted: unknown, present: unknown): boolean => {
  if (typeof wanted === 'string' && typeof present === 'string') return wanted === present || present === mask
  if (Array.isArray(wanted) || Array.isArray(present)) {
    if (!Array.isArray(wanted) || !Array.isArray(present)) return false
    return wanted.length === present.length && wanted.every((item, index) => same(item, present[index]))
  }
  if (!isObject(wanted) || !isObject(present)) return wanted === present
  const names = new Set([...Object.keys(wanted), ...Object.keys(present)])
  return [...names].every((name) => same(wanted[name], present[name]))
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The same for lists whose order means nothing. */
export const sameSet = (wanted: readonly unknown[], present: readonly unknown[]): boolean =>
  same(wanted.toSorted(byText), present.toSorted(byText))
