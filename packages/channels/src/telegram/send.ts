// Sends what an agent said, as plain text: nothing of it is markup, and no link is followed for a preview.
import * as v from 'valibot'
import { type Outgoing, SendFailure } from '../channel.ts'
import type { Bot } from './bot.ts'
import { failureOf } from './faults.ts'

const Reference = v.object({ message: v.number(), private: v.boolean() })

export const sendTelegram = async (bot: Bot, message: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const { address, thread, text, part } = message
  const reference = v.safeParse(Reference, message.reference)
  if (!reference.success) throw new SendFailure('never', 'it is not known which message it answers')
  const { message: answered, private: isPrivate } = reference.output
  const isReply = !isPrivate && part === 0
  const options = {
    link_preview_options: { is_disabled: true },
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
    ...(isReply && { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
  }
  try {
    await bot.api(signal).sendMessage(address, text.toWellFormed(), options)
    return 'sent'
  } catch (error) {
    throw failureOf(error)
  }
}
