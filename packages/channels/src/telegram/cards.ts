// Cards with two buttons, brought up to date where they stand. Telegram has no ids against sending twice: a card that was sent
// and not noted is sent again.
import { GrammyError } from 'grammy/web'
import * as v from 'valibot'
import { isOpen } from '../cards/words.ts'
import type { CardPlace, Cards, ShownCard } from '../channel.ts'
import type { Bot } from './bot.ts'
import { type CardText, cardTextOf, reminderText } from './card-text.ts'
import { failureOf } from './faults.ts'
import { keyboardOf } from './press-data.ts'

const Posted = v.object({ message: v.number() })
const Asked = v.object({ message: v.number(), private: v.boolean() })

const quiet = { link_preview_options: { is_disabled: true } } as const

/** Without buttons those that stand there go. */
const optionsOf = ({ entities }: CardText, card?: ShownCard) => ({
  ...quiet,
  entities,
  ...(card !== undefined && isOpen(card) && { reply_markup: keyboardOf(card) }),
})

interface Post {
  readonly place: CardPlace
  readonly text: CardText
  readonly card?: ShownCard
  /** What it answers. */
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

export interface Standing {
  readonly address: string
  readonly message: number
  readonly card: ShownCard
}

/** Rejects with `SendFailure`. */
export const editCard = async (bot: Bot, { address, message, card }: Standing, signal: AbortSignal): Promise<void> => {
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
    // It was a text, of a version without buttons.
    if (!found.success) await postCard(bot, card, { place, signal })
    else await editCard(bot, { address: place.address, message: found.output.message, card }, signal)
  },
  remind: async ({ card, place, posted }, signal) => {
    const found = v.safeParse(Posted, posted)
    await send(bot, { place, text: reminderText(card), to: found.success ? found.output.message : undefined }, signal)
  },
})
