// The tools of servers that a grant opens, with what their server last said of each.
import { type Grant, type Observation, type Power, toolSeparator } from '@gatehouse/contracts'

export interface Offer {
  /** The server stands in the catalog. */
  readonly configured: boolean
  /** Undefined where its present entry was not listed yet. */
  readonly tools: Observation['tools'] | undefined
}

const termsOf = ({ expiresAt, maxCalls }: Grant): Pick<Power, 'detail'> => {
  const terms = [
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
    ...(maxCalls === undefined ? [] : [`at most ${maxCalls} calls in all`]),
  ]
  return terms.length === 0 ? {} : { detail: terms.join(', ') }
}

const marksOf = (name: string, { configured, tools }: Offer): Power['marks'] => {
  if (!configured) return ['server-gone']
  if (tools === undefined) return []
  const annotations = tools.find((tool) => tool.name === name)?.annotations
  if (!tools.some((tool) => tool.name === name)) return ['undeclared']
  if (annotations?.['destructiveHint'] === true) return ['destructive']
  return annotations?.['readOnlyHint'] === true ? ['read-only'] : []
}

/** An empty `tools` is every tool that the server declares, and whatever it declares later. */
export const grantedPowers = (grant: Grant, offer: Offer): Power[] => {
  const all = grant.tools.length === 0
  const names = all ? (offer.tools ?? []).map(({ name }) => name) : grant.tools
  const powerOf = (tool: string, marks: Power['marks']): Power => ({
    area: 'server-tool',
    name: `${grant.server}${toolSeparator}${tool}`,
    ...termsOf(grant),
    marks,
  })
  const each = [...new Set(names)].map((name) => powerOf(name, marksOf(name, offer)))
  return all ? [powerOf('*', ['every', ...(offer.configured ? [] : (['server-gone'] as const))]), ...each] : each
}
