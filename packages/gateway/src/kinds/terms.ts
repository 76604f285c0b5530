// The fields of grants and wirings that approvers see, shared by several kinds.
import type { Grant, Wired, WiringTerms } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type * as v from 'valibot'
import type { Json } from './kind.ts'

export const grantTerms = ({ server, tools, expiresAt, maxCalls, state }: Grant): Json => ({
  server,
  tools,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(maxCalls === undefined ? {} : { maxCalls }),
  ...(state === 'suspended' ? { state } : {}),
})

/** The terms as a new grant would have them. */
export const asAccessTerms = ({ state: _state, ...terms }: Json): Json => terms

/** Whether an item of `before` is missing from `after`. A value that is not a list counts as empty. */
export const isRemoved = (before: unknown, after: readonly unknown[]): boolean => {
  const kept = new Set(after.map(canonical))
  return Array.isArray(before) && before.some((item) => !kept.has(canonical(item)))
}

/** The fields of a wiring that a person sees. */
export type Terms = v.InferOutput<typeof WiringTerms>

export const wiringTerms = ({ agentGroupID: _group, changeID: _change, ...terms }: Wired): Terms => terms
