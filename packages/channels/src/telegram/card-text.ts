// A card as Telegram shows it. What an agent wrote stands in a block: there an address is no link and a name calls nobody.
import type { MessageEntity } from 'grammy/types'
import { cardLines, cardTitle, endingOf, howToAnswer, isOpen, stillWaits } from '../cards/words.ts'
import type { ShownCard } from '../channel.ts'

/** UTF-16 units. */
export const most = 4096

export interface CardText {
  readonly text: string
  readonly entities: MessageEntity[]
}

export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** Telegram counts in UTF-16 units, as strings here do. */
const write = (title: readonly string[], block: string, below: readonly string[]): CardText => {
  const around = [...title, ...below].reduce((sum, line) => sum + line.length + 1, 0)
  const inside = cut(block, most - around).toWellFormed()
  const offset = title.reduce((sum, line) => sum + line.length + 1, 0)
  return { text: [...title, inside, ...below].join('\n'), entities: [{ type: 'pre', offset, length: inside.length }] }
}

export const cardTextOf = ({ url, ...card }: ShownCard): CardText => {
  const [summary = '', ...facts] = cardLines(card)
  const how = isOpen(card) ? [] : howToAnswer(card)
  const block = [card.state === 'held' ? summary : endingOf(card), ...facts].join('\n')
  return write([cardTitle(card)], block, [...(url === undefined ? [] : [`All of it: ${url}`]), ...how])
}

/** What is to be answered stands outside of the block: words that are sent set apart decide nothing. */
export const reminderText = (card: ShownCard): CardText => write([], stillWaits(card), howToAnswer(card))
