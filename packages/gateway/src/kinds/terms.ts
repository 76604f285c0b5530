// What approvers see of grants and wirings, shared by several kinds.
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

/** The same as a new approval would give it. */
export const asAccessTerms = ({ state: _state, ...terms }: Json): Json => terms

/** What is no list holds nothing. */
export const isRemoved = (before: unknown, after: readonly unknown[]): boolean => {
  const kept = new Set(after.map(canonical))
  return Array.isArray(before) && before.some((item) => !kept.has(canonical(item)))
}

/** What a person sees of a wiring. */
export type Terms = v.InferOutput<typeof WiringTerms>

export const wiringTerms = ({ agentGroupID: _group, changeID: _change, ...terms }: Wired): Terms => terms
