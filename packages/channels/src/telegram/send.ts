// Sends messages of agents to Telegram as entities, so that nothing in them is parsed as markup, notifies anyone or previews a
// link.
import { InputFile } from 'grammy/web'
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import type { Bot } from './bot.ts'
import type { CardText } from './cards.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import { markupText, plainText } from './markup.ts'

/** Where a message goes, and what it answers. */
interface Place {
  readonly address: string
  readonly options: {
    readonly message_thread_id?: number
    readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true }
  }
}

/** The client writes it into a header as it is: there it stands in quotes, and nothing in it ends them. */
const quoted = (name: string): string => `"${name.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, '_')}"`

const sendFile = async (
  bot: Bot,
  { address, options }: Place,
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
