// Sends what an agent said, as plain text: nothing of it is markup, and no link is followed for a preview.
import * as v from 'valibot'
import { type Outgoing, SendFailure } from '../channel.ts'
import type { Bot } from './bot.ts'
import { failureOf } from './faults.ts'
import { type Place, sendFile } from './send-file.ts'

const Reference = v.object({ message: v.number(), private: v.boolean() })

const placeOf = ({ address, thread, reference, part }: Outgoing): Place => {
  const found = v.safeParse(Reference, reference)
  if (!found.success) throw new SendFailure('never', 'it is not known which message it answers')
  const { message: answered, private: isPrivate } = found.output
  const isReply = !isPrivate && part === 0
  const options = {
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
    ...(isReply && { reply_parameters: { message_id: answered, allow_sending_without_reply: true as const } }),
  }
  return { address, options }
}

export const sendTelegram = async (bot: Bot, message: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const place = placeOf(message)
  const [file] = message.files
  if (file !== undefined) return sendFile(bot, place, { file, signal })
  try {
    const { address, options } = place
    await bot.api(signal).sendMessage(address, message.text.toWellFormed(), { link_preview_options: { is_disabled: true }, ...options })
    return 'sent'
  } catch (error) {
    throw failureOf(error)
  }
}
