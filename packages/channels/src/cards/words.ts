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

const approvalsOf = ({ approvals: { needed, given } }: ShownCard): string => `${given} of ${needed}`

export interface Fact {
  readonly label?: string
  readonly text: string
}

/** What an approver must see, beside the sentence that says what would change. */
export const cardFacts = (card: ShownCard): Fact[] => {
  const { requestedBy, reason, risk, evidence, afterToolOutput, changeID, expiresAt, approvals } = card
  return [
    { label: 'Requested by', text: requestedBy },
    ...(reason === undefined ? [] : [{ label: 'Its reason', text: reason }]),
    { label: 'Risk', text: risk },
    ...(afterToolOutput ? [{ text: 'Output of a tool had reached the agent before it asked.' }] : []),
    { label: 'Evidence', text: evidence.slice(0, limits.cardDigest) },
    { label: 'Digest', text: digestPrefix(card) },
    ...(approvals.needed > 1 ? [{ label: 'Approvals', text: approvalsOf(card) }] : []),
    { label: 'Change', text: changeID },
    ...(expiresAt === undefined ? [] : [{ label: 'Ends', text: expiresAt }]),
  ]
}

/** A line each. */
export const cardLines = (card: ShownCard): string[] => [
  card.summary,
  ...cardFacts(card).map(({ label, text }) => (label === undefined ? text : `${label}: ${text}`)),
  ...(card.url === undefined ? [] : [`All of it: ${card.url}`]),
]

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

/** Where it stands, and who brought it there. */
export const verdictOf = (card: ShownCard): string => {
  const { changeID, state, approvals } = card
  const given = state === 'held' && approvals.needed > 1 ? ` Approvals: ${approvalsOf(card)}.` : ''
  return `${changeID} ${endings[state]}${decidersOf(card)}.${given}`
}

/** Why it ended so, as far as anybody said. */
export const whyOf = ({ failure, decisions }: ShownCard): string | undefined => failure?.reason ?? decisions.at(-1)?.reason

/** Where it stands, what it is about, and why. */
export const endingOf = (card: ShownCard): string => {
  const why = whyOf(card)
  return `${verdictOf(card)} ${card.summary}${why === undefined ? '' : ` — ${why}`}`
}

/** Without how to answer. */
export const stillWaits = ({ expiresAt, summary, changeID }: ShownCard): string =>
  `Still waits for a decision, until ${expiresAt ?? 'somebody decides'}: ${summary}\nChange: ${changeID}`

export const reminderOf = (card: ShownCard): string => [stillWaits(card), ...howToAnswer(card)].join('\n')

export const cardText = (card: ShownCard): string => [cardTitle(card), ...cardLines(card), '', ...howToAnswer(card)].join('\n').trim()

/** What waits; of what ended meanwhile, how. */
export const presentText = (card: ShownCard): string => (card.state === 'held' ? cardText(card) : endingOf(card))
