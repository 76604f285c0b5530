// The verifier chain. It can refuse a change or ask for a human; only a recorded approval makes it say `approved`.
import type { Decision, Failure } from '@gatehouse/contracts'
import type { Bound, Sight } from '../kinds/kind.ts'

export type Verdict =
  | { readonly outcome: 'refused'; readonly failure: Failure }
  | { readonly outcome: 'needs-human' }
  | { readonly outcome: 'approved' }

interface Case {
  readonly bound: Bound
  readonly sight: Sight
  readonly decisions: readonly Decision[]
}

type Rule = (subject: Case) => Verdict | undefined

const refuse = (failure: Failure | undefined): Verdict | undefined => (failure === undefined ? undefined : { outcome: 'refused', failure })

const groupIsThere: Rule = ({ bound, sight: { world } }) =>
  bound.target === 'existing' && world.group === undefined
    ? refuse({ rule: 'group-missing', reason: `the agent group ${world.agentGroupID} does not exist any more` })
    : undefined

const kindAgrees: Rule = ({ bound, sight }) => refuse(bound.verify(sight))

const humanDecided = ({ decisions }: Case): Verdict =>
  decisions.some((decision) => decision.outcome === 'approve') ? { outcome: 'approved' } : { outcome: 'needs-human' }

const rules: readonly Rule[] = [groupIsThere, kindAgrees]

/** The last rule always speaks, and always for a human. */
export const verify = (subject: Case): Verdict => {
  for (const rule of rules) {
    const verdict = rule(subject)
    if (verdict !== undefined) return verdict
  }
  return humanDecided(subject)
}
