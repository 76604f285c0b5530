// Renders a card as Slack blocks. Untrusted text is in plain text elements only, in which no character is markup.
import { limits } from '@gatehouse/contracts'
import type { InputBlock, KnownBlock, RichTextBlock, RichTextElement, RichTextText } from '@slack/types'
import { cardFacts, cardTitle, howToAnswer, isOpen, pendingText, verdictOf, whyOf } from '../cards/texts.ts'
import type { ShownCard } from '../channel.ts'
import { actions, buttonValue, reasonAction } from './interaction.ts'

const plain = (text: string): RichTextText => ({ type: 'text', text: text.toWellFormed() })
const bold = (text: string): RichTextText => ({ ...plain(text), style: { bold: true } })

/** Texts of a card have no line ends, so each row is one line. */
const lines = (rows: readonly (readonly RichTextElement[])[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: rows.flatMap((row, index) => (index === 0 ? row : [plain('\n'), ...row])) }],
})

/** Plain text as blocks: ephemeral messages have no option to disable markup. */
export const textBlocks = (text: string): KnownBlock[] => [lines(text.split('\n').map((line) => (line === '' ? [] : [plain(line)])))]

const quote = (text: string): RichTextBlock => ({ type: 'rich_text', elements: [{ type: 'rich_text_quote', elements: [plain(text)] }] })

const factLines = (card: ShownCard): RichTextElement[][] => [
  ...cardFacts(card).map(({ label, text }) => (label === undefined ? [plain(text)] : [bold(`${label}: `), plain(text)])),
  ...(card.url === undefined ? [] : [[bold('Details: '), { type: 'link', url: card.url } as const]]),
]

const label = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const

const reasonInput: InputBlock = {
  type: 'input',
  optional: true,
  label: label('Reason (optional)'),
  element: { type: 'plain_text_input', action_id: reasonAction, max_length: limits.cardReason },
}

const buttons = (card: ShownCard): KnownBlock[] => [
  reasonInput,
  {
    type: 'actions',
    elements: [
      { type: 'button', text: label('Approve'), style: 'primary', action_id: actions.approve, value: buttonValue(card) },
      { type: 'button', text: label('Reject'), style: 'danger', action_id: actions.reject, value: buttonValue(card) },
    ],
  },
]

const ending = (card: ShownCard): KnownBlock[] => {
  const why = whyOf(card)
  return [lines([[bold(verdictOf(card))], ...(why === undefined ? [] : [[plain(why)]])])]
}

/** Buttons are shown only while the change can be decided here. */
const foot = (card: ShownCard): KnownBlock[] => {
  if (card.state !== 'held') return ending(card)
  return isOpen(card) ? buttons(card) : [lines(howToAnswer(card).map((text) => [plain(text)]))]
}

export const cardBlocks = (card: ShownCard): KnownBlock[] => [
  lines([[bold(cardTitle(card))]]),
  quote(card.summary),
  lines(factLines(card)),
  ...foot(card),
]

/** User ids of Slack; a token can hold any text. */
const person = /^[UW][A-Z0-9]{1,39}$/

/** Mentions the approvers. */
export const reminderBlocks = (card: ShownCard, approvers: readonly string[]): KnownBlock[] => {
  const people = [...new Set(approvers)].filter((user) => person.test(user)).slice(0, limits.cardPeople)
  const mentions = people.flatMap((user): RichTextElement[] => [{ type: 'user', user_id: user }, plain(' ')])
  const how = isOpen(card) ? ['Use the buttons of the card in this thread.'] : howToAnswer(card)
  return [lines([...(mentions.length === 0 ? [] : [mentions]), ...[...pendingText(card).split('\n'), ...how].map((text) => [plain(text)])])]
}
