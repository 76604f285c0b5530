// What a person sees of a grant: what it allows and until when, without pins and origin.
import type { Grant } from '@gatehouse/contracts'
import type { Json } from './kind.ts'

export const grantTerms = ({ server, tools, expiresAt, maxCalls, state }: Grant): Json => ({
  server,
  tools,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(maxCalls === undefined ? {} : { maxCalls }),
  ...(state === 'suspended' ? { state } : {}),
})

/** The same as a new approval would give it. */
export const asAccess = ({ state: _state, ...terms }: Json): Json => terms
