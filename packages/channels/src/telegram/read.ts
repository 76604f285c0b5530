// Turns an update of Telegram into a message; undefined where there is none for us in it.
import * as v from 'valibot'
import type { Inbound } from '../channel.ts'
import type { Bot } from './bot.ts'
import { filesOf } from './files.ts'
import { isMentioned, markedTextOf, textOf } from './mention.ts'
import { TelegramMessage } from './update.ts'
import type { Me } from './verify.ts'

/** Bots, ourselves included, and groups that speak in the place of a person, who is then not known. */
const isAutomatic = ({ from, sender_chat, is_automatic_forward }: TelegramMessage): boolean =>
  from === undefined || from.is_bot || sender_chat !== undefined || is_automatic_forward === true

/** Words of somebody else that a person sent on, or had a bot write: no decision of that person's. */
const isOfAnother = ({ forward_origin, forward_date, via_bot }: TelegramMessage): boolean =>
  [forward_origin, forward_date, via_bot].some((mark) => mark !== undefined)

/** Ids of messages are the place's own. Topics of a forum are threads; a chain of answers is none. */
export const readMessage = (given: unknown, bot: Bot, me: Me): Inbound | undefined => {
  const { success, output: message } = v.safeParse(TelegramMessage, given)
  if (!success) return undefined
  const { chat, message_id, message_thread_id, is_topic_message, from } = message
  const text = textOf(message, me)
  const ownWords = isOfAnother(message) ? '' : markedTextOf(message, me)
  return {
    id: `${chat.id}:${message_id}`,
    address: String(chat.id),
    thread: is_topic_message === true && message_thread_id !== undefined ? String(message_thread_id) : undefined,
    user: String(from?.id ?? 'nobody'),
    mentioned: isMentioned(message, me),
    automatic: isAutomatic(message),
    text,
    ...(ownWords !== text && { ownWords }),
    files: filesOf(bot, message),
    reference: { message: message_id, private: chat.type === 'private' },
  }
}
