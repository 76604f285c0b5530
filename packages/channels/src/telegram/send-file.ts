// Sends one file as it is: Telegram makes no picture, video or animation of it.
import { InputFile } from 'grammy/web'
import type { OutgoingFile } from '../channel.ts'
import type { Bot } from './bot.ts'
import { failureOf } from './faults.ts'

/** Where a message goes, and what it answers. */
export interface Place {
  readonly address: string
  readonly options: {
    readonly message_thread_id?: number
    readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true }
  }
}

/** The client writes it into a header as it is: there it stands in quotes, and nothing in it ends them. */
const quoted = (name: string): string => `"${name.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, '_')}"`

export const sendFile = async (
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
