// The texts of a card, without markup: the pending change, how to decide it, and its outcome.
import { limits } from '@gatehouse/contracts'
import type { ShownCard } from '../channel.ts'

const digestPrefix = ({ digest }: Pick<ShownCard, 'digest'>): string => digest.slice(0, limits.cardDigest)

/** The command that decides the change. */
export const answerOf = (outcome: 'approve' | 'reject', card: ShownCard): string => `${outcome} ${card.short} ${digestPrefix(card)}`

export const isOpen = ({ state, byHand }: ShownCard): boolean => state === 'held' && !byHand

export const cardTitle = ({ agentGroupID, kind, state }: ShownCard): string =>
  state === 'held' ? `Change to ${agentGroupID} needs a decision (${kind})` : `Change to ${agentGroupID} (${kind})`

/** Constant for the lifetime of the change; holds no text of an agent or person. */
export const subjectOf = ({ agentGroupID, kind, short, risk }: ShownCard): string =>
  `Change ${short} to ${agentGroupID} (${kind}, ${risk} risk)`

const approvalsOf = ({ approvals: { needed, given } }: ShownCard): string => `${given} of ${needed}`

export interface Fact {
  readonly label?: string
  readonly text: string
}

/** The facts that an approver needs besides the summary. */
export const cardFacts = (card: ShownCard): Fact[] => {
  const { requestedBy, reason, risk, evidence, afterToolOutput, changeID, expiresAt, approvals } = card
  return [
    { label: 'Requested by', text: requestedBy },
    ...(reason === undefined ? [] : [{ label: 'Reason', text: reason }]),
    { label: 'Risk', text: risk },
    ...(afterToolOutput ? [{ text: 'The agent had read tool output before it requested this.' }] : []),
    { label: 'Evidence', text: evidence.slice(0, limits.cardDigest) },
    { label: 'Digest', text: digestPrefix(card) },
    ...(approvals.needed > 1 ? [{ label: 'Approvals', text: approvalsOf(card) }] : []),
    { label: 'Change', text: changeID },
    ...(expiresAt === undefined ? [] : [{ label: 'Expires', text: expiresAt }]),
  ]
}

/** One line per fact. */
export const cardLines = (card: ShownCard): string[] => [
  card.summary,
  ...cardFacts(card).map(({ label, text }) => (label === undefined ? text : `${label}: ${text}`)),
  ...(card.url === undefined ? [] : [`Details: ${card.url}`]),
]

/** How to decide a pending change by text, or where to decide one of high risk. */
export const howToAnswer = (card: ShownCard): string[] => {
  if (card.state !== 'held') return []
  if (card.byHand) return [`High risk: decide it in the console or with svcctl change show ${card.changeID}.`]
  return ['To decide, reply with one of these lines:', answerOf('approve', card), answerOf('reject', card)]
}

const endings = {
  held: 'is pending',
  approved: 'was approved and is being applied',
  applied: 'was approved and applied',
  apply_failed: 'was approved, but could not be applied',
  rejected: 'was rejected',
  withdrawn: 'was withdrawn by its requester',
  expired: 'expired without a decision',
  refused: 'was refused',
} as const

const decidersOf = ({ decisions }: ShownCard): string => {
  const named = decisions.map(({ principal, via }) => (via === undefined ? principal : `${principal} (${via.channel} ${via.user})`))
  return named.length === 0 ? '' : ` by ${[...new Set(named)].join(', ')}`
}

/** The state, and who decided. */
export const verdictOf = (card: ShownCard): string => {
  const { changeID, state, approvals } = card
  const given = state === 'held' && approvals.needed > 1 ? ` Approvals: ${approvalsOf(card)}.` : ''
  return `${changeID} ${endings[state]}${decidersOf(card)}.${given}`
}

/** The reason for the outcome, if one was given. */
export const whyOf = ({ failure, decisions }: ShownCard): string | undefined => failure?.reason ?? decisions.at(-1)?.reason

/** State, summary and reason. */
export const endingOf = (card: ShownCard): string => {
  const why = whyOf(card)
  return `${verdictOf(card)} ${card.summary}${why === undefined ? '' : ` — ${why}`}`
}

/** The reminder without the instructions. */
export const pendingText = ({ expiresAt, summary, changeID }: ShownCard): string =>
  `Still pending${expiresAt === undefined ? '' : `, expires ${expiresAt}`}: ${summary}\nChange: ${changeID}`

export const reminderOf = (card: ShownCard): string => [pendingText(card), ...howToAnswer(card)].join('\n')

export const cardText = (card: ShownCard): string => [cardTitle(card), ...cardLines(card), '', ...howToAnswer(card)].join('\n').trim()

/** The card of a pending change, or the outcome of a decided one. */
export const presentText = (card: ShownCard): string => (card.state === 'held' ? cardText(card) : endingOf(card))
