// The Telegram channel: a bot that receives by long polling. Messages are text with entities, so that nothing is parsed as
// markup, mentions anyone or shows a link preview.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { InputFile } from 'grammy/web'
import * as v from 'valibot'
import { type Channel, type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { accountOf, type Bot, createBot, identifyBot } from './bot.ts'
import { type CardText, telegramCards } from './cards.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import { markupText, plainText } from './markup.ts'
import { receiveTelegram } from './receive.ts'

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

const sendTelegram = async (bot: Bot, message: Outgoing, signal: AbortSignal): Promise<'sent'> => {
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

interface TelegramOptions {
  readonly credentials: NonNullable<ChannelCredentials['telegram']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  readonly log: Logger
}

/** Telegram allows 20 messages per minute and group, 30 per second and bot, and about one per second and person. */
const can: Channel['can'] = {
  threads: true,
  ids: false,
  length: 4096,
  files: { size: limits.file, together: false },
  markup: true,
  pace: { perSecond: 25, burst: 25 },
  placePace: { perSecond: 1 / 3, burst: 3 },
}

export const createTelegram = ({ log, ...way }: TelegramOptions): Channel => {
  const bot = createBot(way)
  return {
    name: 'telegram',
    can,
    receive: (listener) => receiveTelegram({ bot, log }, listener),
    send: (message, signal) => sendTelegram(bot, message, signal),
    cards: telegramCards(bot),
    verify: async (signal) => ({ account: accountOf(await identifyBot(bot, signal)) }),
    close: () => bot.close(),
  }
}
