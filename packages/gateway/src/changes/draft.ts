// What a change would do to the current configuration: the difference, and the digest that an approval is bound to.
import { type Digest, type Kind, PatchOperation, type Risk, type Evidence } from '@gatehouse/contracts'
import { canonical, digestOf } from '@gatehouse/kernel'
import { createPatch, type Operation, type Pointer } from 'rfc6902'
import * as v from 'valibot'
import type { Bound, Json, VerifyInput } from '../kinds/kind.ts'

/** The library finds the shortest diff, which takes minutes and gigabytes for a thousand items. */
const shortList = 24

const sameOrder = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index])

interface Lists {
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
}

/** Only adds and removes whole items, in linear time. */
const diffItems = ({ before, after }: Lists, pointer: Pointer): Operation[] => {
  const left = before.map(canonical)
  const right = after.map(canonical)
  if (sameOrder(left, right)) return []
  const leftItems = new Set(left)
  const rightItems = new Set(right)
  const isOrdered = sameOrder(
    left.filter((item) => rightItems.has(item)),
    right.filter((item) => leftItems.has(item)),
  )
  if (!isOrdered || leftItems.size < left.length || rightItems.size < right.length)
    return [{ op: 'replace', path: pointer.toString(), value: after }]
  const at = (index: number): string => pointer.add(String(index)).toString()
  const removals = left.flatMap((item, index): Operation[] => (rightItems.has(item) ? [] : [{ op: 'remove', path: at(index) }]))
  const additions = after.flatMap((value, index): Operation[] =>
    leftItems.has(right[index] ?? '') ? [] : [{ op: 'add', path: at(index), value }],
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

/** The input of the digest that an approval covers: SHA-256 over canonical JSON (RFC 8785). */
export interface Approvable {
  readonly kind: Kind
  readonly agentGroupID: string
  readonly before: Json | null
  /** With each secret value replaced by its HMAC. */
  readonly after: Json
  readonly evidence: Evidence | null
}

export const digestOfChange = ({ kind, agentGroupID, before, after, evidence }: Approvable): Digest =>
  digestOf({ kind, agentGroupID, before, after, evidence })

export interface Draft {
  readonly before: Json | null
  readonly diff: PatchOperation[]
  readonly summary: string
  readonly evidence: Evidence | null
  readonly risk: Risk
  readonly digest: Digest
}

/** Builds the draft. The group must exist, unless the kind creates it. */
export const draft = (bound: Bound, input: VerifyInput): Draft => {
  const { context, evidence } = input
  const before = bound.slice(context)
  return {
    before,
    diff: diff(before, bound.outcome(input)),
    summary: bound.describe(context),
    evidence,
    risk: bound.risk(input),
    digest: digestOfChange({ kind: bound.kind, agentGroupID: context.agentGroupID, before, after: bound.approvable, evidence }),
  }
}
