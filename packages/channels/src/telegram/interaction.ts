// Handles a clicked button: submits the decision of the person whom Telegram names, and answers only that person.
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Listener, Interaction, InteractionReply, ShownCard } from '../channel.ts'
import type { Bot } from './bot.ts'
import { cardTextOf, cut, editCard, readData } from './cards.ts'
import { failureOf } from './faults.ts'
import { TelegramInteraction } from './update.ts'

export interface InteractionContext extends Pick<Listener, 'decide' | 'signal'> {
  readonly bot: Bot
  readonly log: Logger
}

const answerLength = 200

/** Undefined if it is not one of the unit's buttons: from an inline message, from a bot, or with other data. */
const parseInteraction = ({ id, from, message, data = '' }: TelegramInteraction): Interaction | undefined => {
  const decision = readData(data)
  if (decision === undefined || message === undefined || from.is_bot) return undefined
  return { id, address: String(message.chat.id), user: String(from.id), ...decision }
}

/** Only the first line, which holds the outcome, fits. */
const answer = async (
  { bot }: InteractionContext,
  { id }: TelegramInteraction,
  { text, signal }: { text: string | undefined; signal: AbortSignal },
) => {
  const [line = ''] = (text ?? '').split('\n', 1)
  const shown = line === '' ? {} : { text: cut(line, answerLength).toWellFormed(), show_alert: true }
  try {
    await bot.api(signal).answerCallbackQuery(id, shown)
  } catch (error) {
    throw failureOf(error)
  }
}

/** States that never change again, so that no older state can be shown later. */
const finalStates: ReadonlySet<ShownCard['state']> = new Set(['applied', 'rejected', 'withdrawn', 'expired', 'refused'])

/** The gateway does not know a card that was posted twice. A click shows the outcome on it. */
const showEnd = async (
  { bot }: InteractionContext,
  { message }: TelegramInteraction,
  { card, signal }: { card: ShownCard; signal: AbortSignal },
) => {
  if (message === undefined || !finalStates.has(card.state) || message.text === cardTextOf(card).text) return
  await editCard(bot, { address: String(message.chat.id), message: message.message_id, card }, signal)
}

/** Never rejects. The decision holds even if the person cannot be answered. */
export const handleInteraction = async (context: InteractionContext, given: unknown): Promise<void> => {
  const { success, output: query } = v.safeParse(TelegramInteraction, given)
  if (!success) return
  const press = parseInteraction(query)
  const { text, card }: InteractionReply = press === undefined ? {} : await context.decide(press)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limits.channelSendTime)])
  const replies = [answer(context, query, { text, signal }), ...(card === undefined ? [] : [showEnd(context, query, { card, signal })])]
  const warn = (error: unknown): void => context.log.debug('could not answer interaction', { channel: 'telegram', error })
  await Promise.all(replies.map((reply) => reply.catch(warn)))
}
