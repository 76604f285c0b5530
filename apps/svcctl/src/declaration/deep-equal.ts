// Whether two values mean the same.
import { isObject, mask } from '@gatehouse/contracts'

type Compare = (wanted: unknown, present: unknown) => boolean

/** Deep equality without regard to the order of members; of texts as it is told. */
const comparing = (isSameText: (wanted: string, present: string) => boolean): Compare => {
  const compare: Compare = (wanted, present) => {
    if (typeof wanted === 'string' && typeof present === 'string') return isSameText(wanted, present)
    if (Array.isArray(wanted) || Array.isArray(present)) {
      if (!Array.isArray(wanted) || !Array.isArray(present)) return false
      return wanted.length === present.length && wanted.every((item, index) => compare(item, present[index]))
    }
    if (!isObject(wanted) || !isObject(present)) return wanted === present
    const names = new Set([...Object.keys(wanted), ...Object.keys(present)])
    return [...names].every((name) => compare(wanted[name], present[name]))
  }
  return compare
}

/** A mask stands for any text: what is stored is never shown. */
export const deepEqual = comparing((wanted, present) => wanted === present || present === mask)

/** A mask stands for no text, not even for itself: whoever wrote what is behind it may have written something else. */
export const plainlySame = comparing((wanted, present) => wanted === present && present !== mask)

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The same for lists whose order means nothing. */
export const sameSet = (wanted: readonly unknown[], present: readonly unknown[]): boolean =>
  deepEqual(wanted.toSorted(byText), present.toSorted(byText))
