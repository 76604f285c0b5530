// What a human reads: RFC 6902 from the slice as it is to the slice as it would be.
import { PatchOperation } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import { createPatch, type Operation, type Pointer } from 'rfc6902'
import * as v from 'valibot'

type Json = Readonly<Record<string, unknown>>

/** The library looks for the shortest way, which takes minutes and gigabytes for a thousand items. */
const shortList = 24

const sameOrder = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index])

interface Lists {
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
}

/** Items stay, go or come as they are: linear, and easy to read. */
const diffItems = ({ before, after }: Lists, pointer: Pointer): Operation[] => {
  const left = before.map(canonical)
  const right = after.map(canonical)
  if (sameOrder(left, right)) return []
  const had = new Set(left)
  const has = new Set(right)
  const kept = sameOrder(
    left.filter((item) => has.has(item)),
    right.filter((item) => had.has(item)),
  )
  if (!kept || had.size < left.length || has.size < right.length) return [{ op: 'replace', path: pointer.toString(), value: after }]
  const at = (index: number): string => pointer.add(String(index)).toString()
  const removals = left.flatMap((item, index): Operation[] => (has.has(item) ? [] : [{ op: 'remove', path: at(index) }]))
  const additions = after.flatMap((value, index): Operation[] =>
    had.has(right[index] ?? '') ? [] : [{ op: 'add', path: at(index), value }],
  )
  return [...removals.toReversed(), ...additions]
}

const isNames = (items: readonly unknown[]): boolean => items.every((item) => typeof item === 'string')

const diffLists = (before: unknown, after: unknown, pointer: Pointer): Operation[] | undefined => {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined
  const names = isNames(before) && isNames(after)
  return names || Math.max(before.length, after.length) > shortList ? diffItems({ before, after }, pointer) : undefined
}

export const diff = (before: Json | null, outcome: Json | null): PatchOperation[] =>
  v.parse(v.array(PatchOperation), createPatch(before, outcome, diffLists))
