// Approval cards in Telegram, updated in place. Telegram has no idempotency keys, so a card that was sent but not recorded is sent
// again.
import type { InlineKeyboardMarkup, MessageEntity } from 'grammy/types'
import { GrammyError } from 'grammy/web'
import * as v from 'valibot'
import { cardLines, cardTitle, endingOf, howToAnswer, isOpen, pendingText } from '../cards/texts.ts'
import type { CardPlace, Cards, Interaction, ShownCard } from '../channel.ts'
import type { Bot } from './bot.ts'
import { failureOf } from './faults.ts'

/** Maximum message length in UTF-16 code units. */
export const maxMessage = 4096

export interface CardText {
  readonly text: string
  readonly entities: MessageEntity[]
}

export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** Telegram's offsets are UTF-16 code units, as in JavaScript. */
const write = (title: readonly string[], block: string, below: readonly string[]): CardText => {
  const around = [...title, ...below].reduce((sum, line) => sum + line.length + 1, 0)
  const inside = cut(block, maxMessage - around).toWellFormed()
  const offset = title.reduce((sum, line) => sum + line.length + 1, 0)
  return { text: [...title, inside, ...below].join('\n'), entities: [{ type: 'pre', offset, length: inside.length }] }
}

export const cardTextOf = ({ url, ...card }: ShownCard): CardText => {
  const [summary = '', ...facts] = cardLines(card)
  const how = isOpen(card) ? [] : howToAnswer(card)
  const block = [card.state === 'held' ? summary : endingOf(card), ...facts].join('\n')
  return write([cardTitle(card)], block, [...(url === undefined ? [] : [`Details: ${url}`]), ...how])
}

/** The command to copy is outside of the preformatted block, because preformatted text decides nothing. */
const reminderText = (card: ShownCard): CardText => write([], pendingText(card), howToAnswer(card))

/** Button data, at most 64 bytes: outcome, change and shown digest. A client can send any value, so it proves nothing: permission
 * depends only on the authenticated person. */
const letters = { approve: 'a', reject: 'r' } as const

const dataOf = (outcome: Interaction['outcome'], { changeID, digest }: ShownCard): string =>
  `${letters[outcome]}${changeID.slice('chg_'.length)}:${digest.slice(0, 32)}`

const keyboardOf = (card: ShownCard): InlineKeyboardMarkup => ({
  inline_keyboard: [
    [
      { text: 'Approve', callback_data: dataOf('approve', card) },
      { text: 'Reject', callback_data: dataOf('reject', card) },
    ],
  ],
})

const form = /^(?<letter>[ar])(?<change>\d{14}\.\d{9}):(?<digest>[0-9a-f]{32})$/

/** Undefined if it is not the data of one of the unit's buttons. */
export const readData = (data: string): Pick<Interaction, 'outcome' | 'changeID' | 'digest'> | undefined => {
  const { letter, change, digest } = form.exec(data)?.groups ?? {}
  if (letter === undefined || change === undefined || digest === undefined) return undefined
  return { outcome: letter === letters.approve ? 'approve' : 'reject', changeID: `chg_${change}`, digest }
}

const Posted = v.object({ message: v.number() })
const Asked = v.object({ message: v.number(), private: v.boolean() })

const quiet = { link_preview_options: { is_disabled: true } } as const

/** Without buttons, existing ones are removed. */
const optionsOf = ({ entities }: CardText, card?: ShownCard) => ({
  ...quiet,
  entities,
  ...(card !== undefined && isOpen(card) && { reply_markup: keyboardOf(card) }),
})

interface Post {
  readonly place: CardPlace
  readonly text: CardText
  readonly card?: ShownCard
  /** Id of the message to reply to. */
  readonly to: number | undefined
}

const send = async (bot: Bot, { place: { address, thread }, text, card, to }: Post, signal: AbortSignal): Promise<number> => {
  const options = {
    ...optionsOf(text, card),
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
    ...(to !== undefined && { reply_parameters: { message_id: to, allow_sending_without_reply: true } }),
  }
  try {
    return (await bot.api(signal).sendMessage(address, text.text, options)).message_id
  } catch (error) {
    throw failureOf(error)
  }
}

const isSame = (error: unknown): boolean =>
  error instanceof GrammyError && error.error_code === 400 && /message is not modified/i.test(error.description)

export interface StoredCard {
  readonly address: string
  readonly message: number
  readonly card: ShownCard
}

/** Rejects with `SendFailure`. */
export const editCard = async (bot: Bot, { address, message, card }: StoredCard, signal: AbortSignal): Promise<void> => {
  const text = cardTextOf(card)
  try {
    await bot.api(signal).editMessageText(address, message, text.text, optionsOf(text, card))
  } catch (error) {
    if (!isSame(error)) throw failureOf(error)
  }
}

const postCard = (bot: Bot, card: ShownCard, { place, signal }: { place: CardPlace; signal: AbortSignal }): Promise<number> => {
  const asked = v.safeParse(Asked, place.reference)
  const to = asked.success && !asked.output.private ? asked.output.message : undefined
  return send(bot, { place, text: cardTextOf(card), card, to }, signal)
}

export const telegramCards = (bot: Bot): Required<Cards> => ({
  post: async ({ card, place }, signal) => ({ message: await postCard(bot, card, { place, signal }) }),
  update: async ({ card, place, posted }, signal) => {
    const found = v.safeParse(Posted, posted)
    // The card is a text message of an earlier release.
    if (!found.success) await postCard(bot, card, { place, signal })
    else await editCard(bot, { address: place.address, message: found.output.message, card }, signal)
  },
  remind: async ({ card, place, posted }, signal) => {
    const found = v.safeParse(Posted, posted)
    await send(bot, { place, text: reminderText(card), to: found.success ? found.output.message : undefined }, signal)
  },
})
