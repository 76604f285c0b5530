// Sends what an agent said: laid out by entities, so that nothing in it is markup or calls anybody, and no link is followed for a preview.
import * as v from 'valibot'
import { type Outgoing, SendFailure } from '../channel.ts'
import type { Bot } from './bot.ts'
import type { CardText } from './card-text.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import { markupText, plainText } from './markup.ts'
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
  const { address, options } = placeOf(message)
  const [file] = message.files
  if (file !== undefined) return sendFile(bot, { address, options }, { file, signal })
  const quiet = { link_preview_options: { is_disabled: true }, ...options }
  const send = ({ text, entities }: CardText): Promise<unknown> =>
    bot.api(signal).sendMessage(address, text, { ...quiet, ...(entities.length > 0 && { entities }) })
  const layout = message.blocks && markupText(message.blocks)
  try {
    await send(layout ?? plainText(message.text)).catch((error: unknown) => {
      if (layout !== undefined && isShapeRefused(error)) return send(plainText(message.text))
      throw error
    })
    return 'sent'
  } catch (error) {
    throw failureOf(error)
  }
}
