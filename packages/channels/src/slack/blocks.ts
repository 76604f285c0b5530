// A card as Slack lays it out. What others wrote stands in elements that are text and nothing else: in these no character is markup.
import { limits } from '@gatehouse/contracts'
import type { InputBlock, KnownBlock, RichTextBlock, RichTextElement, RichTextText } from '@slack/types'
import { cardFacts, cardTitle, howToAnswer, isOpen, stillWaits, verdictOf, whyOf } from '../cards/words.ts'
import type { ShownCard } from '../channel.ts'
import { actions, pressValue, reasonAction } from './interaction.ts'

const plain = (text: string): RichTextText => ({ type: 'text', text: text.toWellFormed() })
const bold = (text: string): RichTextText => ({ ...plain(text), style: { bold: true } })

/** Line ends are ours alone: no text of a card has one. */
const lines = (rows: readonly (readonly RichTextElement[])[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: rows.flatMap((row, index) => (index === 0 ? row : [plain('\n'), ...row])) }],
})

/** A text in which nothing is markup: a message to one person alone has no other way to say so. */
export const textBlocks = (text: string): KnownBlock[] => [lines(text.split('\n').map((line) => (line === '' ? [] : [plain(line)])))]

const quote = (text: string): RichTextBlock => ({ type: 'rich_text', elements: [{ type: 'rich_text_quote', elements: [plain(text)] }] })

const factLines = (card: ShownCard): RichTextElement[][] => [
  ...cardFacts(card).map(({ label, text }) => (label === undefined ? [plain(text)] : [bold(`${label}: `), plain(text)])),
  ...(card.url === undefined ? [] : [[bold('All of it: '), { type: 'link', url: card.url } as const]]),
]

const word = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const

const reasonInput: InputBlock = {
  type: 'input',
  optional: true,
  label: word('Reason, with either button'),
  element: { type: 'plain_text_input', action_id: reasonAction, max_length: limits.cardReason },
}

const buttons = (card: ShownCard): KnownBlock[] => [
  reasonInput,
  {
    type: 'actions',
    elements: [
      { type: 'button', text: word('Approve'), style: 'primary', action_id: actions.approve, value: pressValue(card) },
      { type: 'button', text: word('Reject'), style: 'danger', action_id: actions.reject, value: pressValue(card) },
    ],
  },
]

const ending = (card: ShownCard): KnownBlock[] => {
  const why = whyOf(card)
  return [lines([[bold(verdictOf(card))], ...(why === undefined ? [] : [[plain(why)]])])]
}

/** Buttons only while it can be decided here. */
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

/** As Slack names people; a token may name anything. */
const person = /^[UW][A-Z0-9]{1,39}$/

/** Calls who may decide it: that is what it is for. */
export const reminderBlocks = (card: ShownCard, approvers: readonly string[]): KnownBlock[] => {
  const people = [...new Set(approvers)].filter((user) => person.test(user)).slice(0, limits.cardPeople)
  const called = people.flatMap((user): RichTextElement[] => [{ type: 'user', user_id: user }, plain(' ')])
  const how = isOpen(card) ? ['Its card in this thread has the buttons.'] : howToAnswer(card)
  return [lines([...(called.length === 0 ? [] : [called]), ...[...stillWaits(card).split('\n'), ...how].map((text) => [plain(text)])])]
}
