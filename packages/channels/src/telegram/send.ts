// Sends agent messages to Telegram as text with entities, so that nothing is parsed as markup, mentions anyone or shows a link preview.
import { InputFile } from 'grammy/web'
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import type { Bot } from './bot.ts'
import type { CardText } from './cards.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import { markupText, plainText } from './markup.ts'

/** Destination of a message, and the message it replies to. */
interface Destination {
  readonly address: string
  readonly options: {
    readonly message_thread_id?: number
    readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true }
  }
}

/** The client writes the name into a header without escaping, so it is quoted here. */
const quoted = (name: string): string => `"${name.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, '_')}"`

const sendFile = async (
  bot: Bot,
  { address, options }: Destination,
  { file: { name, bytes }, signal }: { readonly file: OutgoingFile; readonly signal: AbortSignal },
): Promise<'sent'> => {
  try {
    const document = new InputFile(bytes, quoted(name))
    await bot.api(signal, 'patient').sendDocument(address, document, { ...options, disable_content_type_detection: true })
    return 'sent'
  } catch (error) {
    throw failureOf(error)
  }
}

const Reference = v.object({ message: v.number(), private: v.boolean() })

const destinationOf = ({ address, thread, reference, part }: Outgoing): Destination => {
  const parsed = v.safeParse(Reference, reference)
  if (!parsed.success) throw new SendFailure('never', 'the message has no reference to reply to')
  const { message: answered, private: isPrivate } = parsed.output
  const isReply = !isPrivate && part === 0
  const options = {
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
    ...(isReply && { reply_parameters: { message_id: answered, allow_sending_without_reply: true as const } }),
  }
  return { address, options }
}

export const sendTelegram = async (bot: Bot, message: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const { address, options } = destinationOf(message)
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
