// Handles a clicked button: passes it on as the command of the person whom Telegram names, and answers only that person.
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Listener, Press, Pressed, ShownCard } from '../channel.ts'
import type { Bot } from './bot.ts'
import { cardTextOf, cut, editCard, readData } from './cards.ts'
import { failureOf } from './faults.ts'
import { TelegramPress } from './update.ts'

export interface Pressing extends Pick<Listener, 'decide' | 'signal'> {
  readonly bot: Bot
  readonly log: Logger
}

const answerLength = 200

/** Undefined where it is none of ours: of an inline message, of a machine, or with something else in it. */
const readPress = ({ id, from, message, data = '' }: TelegramPress): Press | undefined => {
  const word = readData(data)
  if (word === undefined || message === undefined || from.is_bot) return undefined
  return { id, address: String(message.chat.id), user: String(from.id), ...word }
}

/** The first line says what came of it. */
const answer = async ({ bot }: Pressing, { id }: TelegramPress, { text, signal }: { text: string | undefined; signal: AbortSignal }) => {
  const [line = ''] = (text ?? '').split('\n', 1)
  const shown = line === '' ? {} : { text: cut(line, answerLength).toWellFormed(), show_alert: true }
  try {
    await bot.api(signal).answerCallbackQuery(id, shown)
  } catch (error) {
    throw failureOf(error)
  }
}

/** What comes after these no longer changes: nothing that is shown later can be older. */
const ends: ReadonlySet<ShownCard['state']> = new Set(['applied', 'rejected', 'withdrawn', 'expired', 'refused'])

/** A card that stands there a second time is known to nobody: who presses it brings it to its end. */
const showEnd = async ({ bot }: Pressing, { message }: TelegramPress, { card, signal }: { card: ShownCard; signal: AbortSignal }) => {
  if (message === undefined || !ends.has(card.state) || message.text === cardTextOf(card).text) return
  await editCard(bot, { address: String(message.chat.id), message: message.message_id, card }, signal)
}

/** Never rejects. What was decided stands, whether or not the person can be told so. */
export const dealWithPress = async (pressing: Pressing, given: unknown): Promise<void> => {
  const { success, output: query } = v.safeParse(TelegramPress, given)
  if (!success) return
  const press = readPress(query)
  const { text, card }: Pressed = press === undefined ? {} : await pressing.decide(press)
  const signal = AbortSignal.any([pressing.signal, AbortSignal.timeout(limits.channelSendTime)])
  const told = [answer(pressing, query, { text, signal }), ...(card === undefined ? [] : [showEnd(pressing, query, { card, signal })])]
  const lost = (error: unknown): void => pressing.log.debug('a press could not be answered', { channel: 'telegram', error })
  await Promise.all(told.map((telling) => telling.catch(lost)))
}
