// A change as a card of a channel: masked, and with nothing in it that hides.
import { type Card, type Change, type ChangeID, limits, visible } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import type { Secrets } from '../secrets/secrets.ts'
import { maskChange } from '../secrets/mask.ts'

export const withoutZeros = (time: string): string => (time.includes('.') ? time.replace(/\.?0+$/, '') : time)

/** Time of the day to the last digit that is not 0. */
export const shortOf = (id: ChangeID): string => withoutZeros(id.slice('chg_'.length + 8))

/** One line each: a line of an agent's own could pass for one of the card's, such as one to answer with. */
const shown = (text: string, most: number = limits.cardText): string => {
  const whole = visible(text).replace(/\s*[\n\t]\s*/g, ' ⏎ ')
  return whole.length <= most ? whole : `${whole.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const evidenceOf = ({ evidence }: Change): Card['evidence'] => {
  if (evidence === null) return 'none'
  return evidence['status'] === 'unavailable' ? 'unavailable' : digestOf(evidence)
}

export const cardOf = (secrets: Pick<Secrets, 'owns'>, change: Change): Card => {
  const { summary, requestedBy, reason, decisions, failure, expiresAt } = maskChange(secrets, change)
  const { id, kind, agentGroupID, state, risk, digest, approvals, afterToolOutput = false } = change
  return {
    changeID: id,
    short: shortOf(id),
    kind,
    agentGroupID,
    state,
    requestedBy: shown(requestedBy),
    summary: shown(summary),
    ...(reason !== undefined && reason !== '' && { reason: shown(reason) }),
    risk,
    digest,
    evidence: evidenceOf(change),
    afterToolOutput,
    approvals,
    ...(expiresAt !== undefined && { expiresAt }),
    byHand: risk === 'high',
    decisions: decisions
      .slice(-limits.cardDecisions)
      .map(({ reason: why, ...decision }) => ({ ...decision, by: shown(decision.by), ...(why !== undefined && { reason: shown(why) }) })),
    ...(failure !== undefined && { failure: { rule: failure.rule, reason: shown(failure.reason) } }),
  }
}

/** Cards that say the same have the same version. */
export const versionOf = ({ state, digest, approvals, failure }: Change): string =>
  [state, digest, approvals.given, failure?.rule ?? ''].join(' ')
