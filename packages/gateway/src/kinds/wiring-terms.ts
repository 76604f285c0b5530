// What a person sees of a wiring.
import type { Wired, WiringTerms } from '@gatehouse/contracts'
import type * as v from 'valibot'

export type Terms = v.InferOutput<typeof WiringTerms>

export const termsOf = ({ agentGroupID: _group, changeID: _change, ...terms }: Wired): Terms => terms
