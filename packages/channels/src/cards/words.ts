// A card in plain words, before any markup: what waits, how it is answered, how it ended.
import { limits } from '@gatehouse/contracts'
import type { ShownCard } from '../channel.ts'

const digestPrefix = ({ digest }: Pick<ShownCard, 'digest'>): string => digest.slice(0, limits.cardDigest)

/** What is written to decide it. */
export const answerOf = (outcome: 'approve' | 'reject', card: ShownCard): string => `${outcome} ${card.short} ${digestPrefix(card)}`

export const isOpen = ({ state, byHand }: ShownCard): boolean => state === 'held' && !byHand

export const cardTitle = ({ agentGroupID, kind, state }: ShownCard): string =>
  state === 'held' ? `A change of ${agentGroupID} waits for a decision (${kind})` : `A change of ${agentGroupID} (${kind})`

/** The same as long as it lives, and no word of an agent's or a person's. */
export const subjectOf = ({ agentGroupID, kind, short, risk }: ShownCard): string =>
  `Change ${short} of ${agentGroupID} (${kind}, ${risk} risk)`

const approvalsOf = ({ approvals: { needed, given } }: ShownCard): string[] => (needed > 1 ? [`Approvals: ${given} of ${needed}`] : [])

/** What an approver must see, a line each. */
export const cardLines = (card: ShownCard): string[] => {
  const { summary, requestedBy, reason, risk, evidence, afterToolOutput, changeID, expiresAt, url } = card
  return [
    summary,
    `Asked for by: ${requestedBy}`,
    ...(reason === undefined ? [] : [`Its reason: ${reason}`]),
    `Risk: ${risk}`,
    ...(afterToolOutput ? ['Output of a tool had reached the agent before it asked.'] : []),
    `Evidence: ${evidence.slice(0, limits.cardDigest)}`,
    `Digest: ${digestPrefix(card)}`,
    ...approvalsOf(card),
    `Change: ${changeID}`,
    ...(expiresAt === undefined ? [] : [`Ends: ${expiresAt}`]),
    ...(url === undefined ? [] : [`All of it: ${url}`]),
  ]
}

/** How it is decided by a text, where it waits; of high risk: where it is decided. */
export const howToAnswer = (card: ShownCard): string[] => {
  if (card.state !== 'held') return []
  if (card.byHand) return [`Of high risk: it is decided in the console or by svcctl change show ${card.changeID}.`]
  return ['To decide, answer with one of these lines:', answerOf('approve', card), answerOf('reject', card)]
}

const endings = {
  held: 'waits',
  approved: 'was approved and is being applied',
  applied: 'was approved and applied',
  apply_failed: 'was approved, but could not be applied',
  rejected: 'was rejected',
  withdrawn: 'was withdrawn by who asked for it',
  expired: 'expired: nobody decided it in time',
  refused: 'was refused',
} as const

const decidersOf = ({ decisions }: ShownCard): string => {
  const named = decisions.map(({ principal, via }) => (via === undefined ? principal : `${principal} (${via.channel} ${via.user})`))
  return named.length === 0 ? '' : ` by ${[...new Set(named)].join(', ')}`
}

/** One sentence on where it stands. */
export const endingOf = (card: ShownCard): string => {
  const { changeID, state, failure, summary, decisions } = card
  const reason = failure?.reason ?? decisions.at(-1)?.reason
  const approvals = state === 'held' ? approvalsOf(card).map((text) => ` ${text}.`) : []
  return `${changeID} ${endings[state]}${decidersOf(card)}.${approvals.join('')} ${summary}${reason === undefined ? '' : ` — ${reason}`}`
}

export const reminderOf = (card: ShownCard): string =>
  [
    `Still waits for a decision, until ${card.expiresAt ?? 'somebody decides'}: ${card.summary}`,
    `Change: ${card.changeID}`,
    ...howToAnswer(card),
  ].join('\n')

export const cardText = (card: ShownCard): string => [cardTitle(card), ...cardLines(card), '', ...howToAnswer(card)].join('\n').trim()
