// What a human reads: RFC 6902 from the slice as it is to the slice as it would be.
import { PatchOperation } from '@gatehouse/contracts'
import { createPatch, type Operation, type Pointer } from 'rfc6902'
import * as v from 'valibot'

type Json = Readonly<Record<string, unknown>>

const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

const sameOrder = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index])

/** Linear, where the edit distance of the library takes minutes and gigabytes for a thousand names. */
const diffNames = (before: readonly string[], after: readonly string[], pointer: Pointer): Operation[] => {
  if (sameOrder(before, after)) return []
  const had = new Set(before)
  const has = new Set(after)
  const keptBefore = before.filter((name) => has.has(name))
  const keptAfter = after.filter((name) => had.has(name))
  if (has.size < after.length || had.size < before.length || !sameOrder(keptBefore, keptAfter)) {
    return [{ op: 'replace', path: pointer.toString(), value: after }]
  }
  const at = (index: number): string => pointer.add(String(index)).toString()
  const removals = before.flatMap((name, index): Operation[] => (has.has(name) ? [] : [{ op: 'remove', path: at(index) }]))
  const additions = after.flatMap((name, index): Operation[] => (had.has(name) ? [] : [{ op: 'add', path: at(index), value: name }]))
  return [...removals.toReversed(), ...additions]
}

export const diff = (before: Json | null, outcome: Json | null): PatchOperation[] =>
  v.parse(
    v.array(PatchOperation),
    createPatch(before, outcome, (left: unknown, right: unknown, pointer) =>
      isNames(left) && isNames(right) ? diffNames(left, right, pointer) : undefined,
    ),
  )
