// Parses updates of Telegram into messages with files. Returns undefined for updates without a message for the agent.
import { limits, ServiceError } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { GrammyError } from 'grammy/web'
import * as v from 'valibot'
import type { Inbound, InboundFile } from '../channel.ts'
import type { Bot, Me } from './bot.ts'
import { faultOf, retryAfterMs } from './faults.ts'
import { type Entity, type TelegramFile, TelegramMessage } from './update.ts'

/** Files are downloaded only for messages that are accepted. */
const gone = (): ServiceError => new ServiceError('not-found', { detail: 'Telegram does not provide the file' })

/** Final errors become `not-found`, so that the message is not redelivered forever. */
const toFileError = (error: unknown): Error => {
  if (error instanceof ServiceError) return error
  const isFinal = error instanceof GrammyError && error.error_code === 400 && retryAfterMs(error) === undefined
  const isOurs = error instanceof OutboundFailure && error.kind !== 'proxy'
  return isFinal || isOurs ? gone() : faultOf(error)
}

/** The status is about the file and not temporary. */
const isRefused = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

const read = async (bot: Bot, { file_id }: TelegramFile): Promise<Uint8Array> => {
  try {
    const { file_path } = await bot.api(AbortSignal.timeout(limits.channelSendTime)).getFile(file_id)
    // A self-hosted Bot API server can return a path on its own disk.
    if (file_path === undefined || file_path.startsWith('/') || file_path.includes('..')) throw gone()
    const response = await bot.download(file_path)
    if (isRefused(response.status)) throw gone()
    if (!response.ok) throw new Error(`Telegram answered ${response.status}`)
    return await response.bytes()
  } catch (error) {
    throw toFileError(error)
  }
}

const named = ({ document, photo, audio, video, voice }: TelegramMessage): [string, TelegramFile | undefined][] => [
  ['document', document],
  ['photo.jpg', photo?.at(-1)],
  ['audio', audio],
  ['video.mp4', video],
  ['voice.ogg', voice],
]

export const filesOf = (bot: Bot, message: TelegramMessage): InboundFile[] =>
  named(message).flatMap(([name, file]) =>
    file === undefined ? [] : [{ name: file.file_name ?? name, size: file.file_size, read: () => read(bot, file) }],
  )

/** Text or caption with its entities. */
interface EntityText {
  readonly text: string
  readonly entities: readonly Entity[]
}

const entityTextOf = ({ text, entities, caption, caption_entities }: TelegramMessage): EntityText =>
  text === undefined ? { text: caption ?? '', entities: caption_entities ?? [] } : { text, entities: entities ?? [] }

/** Only entities that Telegram itself marked as this bot, not text that looks like its name. */
const isOurs = ({ text }: EntityText, { type, offset, length, user }: Entity, me: Me): boolean => {
  const word = text.slice(offset, offset + length).toLowerCase()
  const name = `@${me.username.toLowerCase()}`
  if (type === 'mention') return word === name
  if (type === 'text_mention') return user?.id === me.id
  return type === 'bot_command' && word.endsWith(name)
}

const isMentioned = (message: TelegramMessage, me: Me): boolean => {
  if (message.chat.type === 'private' || message.reply_to_message?.from?.id === me.id) return true
  const words = entityTextOf(message)
  return words.entities.some((entity) => isOurs(words, entity, me))
}

const withoutName = (words: EntityText, me: Me): string => {
  const first = words.entities.find((entity) => entity.offset === 0 && isOurs(words, entity, me))
  if (first === undefined) return words.text
  const rest = words.text.slice(first.length)
  const command = first.type === 'bot_command' ? words.text.slice(0, first.length - me.username.length - 1) : ''
  return command === '' ? rest.trimStart() : `${command}${rest}`
}

/** Removes the bot's name at the start of the message. A command keeps its name. */
const textOf = (message: TelegramMessage, me: Me): string => withoutName(entityTextOf(message), me)

/** Entities that are not the author's own words. Telegram marks them beside the text, not in it. */
const quotingEntities: ReadonlySet<string> = new Set(['blockquote', 'expandable_blockquote', 'code', 'pre'])

/** The text with marks around quoting entities, as in services without entities. */
const markedTextOf = (message: TelegramMessage, me: Me): string => {
  const { text, entities } = entityTextOf(message)
  const edges = entities.filter(({ type }) => quotingEntities.has(type)).flatMap(({ offset, length }) => [offset, offset + length])
  const marked = edges.toSorted((a, b) => b - a).reduce((words, at) => `${words.slice(0, at)}\`${words.slice(at)}`, text)
  return withoutName({ text: marked, entities }, me)
}

/** Sent by a bot, or on behalf of a group or channel, so that the person is unknown. */
const isAutomatic = ({ from, sender_chat, is_automatic_forward }: TelegramMessage): boolean =>
  from === undefined || from.is_bot || sender_chat !== undefined || is_automatic_forward === true

/** Forwarded or written by a bot on the person's behalf, so not the person's own decision. */
const isForwarded = ({ forward_origin, forward_date, via_bot }: TelegramMessage): boolean =>
  [forward_origin, forward_date, via_bot].some((mark) => mark !== undefined)

/** Message ids are unique per chat. Forum topics are threads; reply chains are not. */
export const readMessage = (input: unknown, bot: Bot, me: Me): Inbound | undefined => {
  const { success, output: message } = v.safeParse(TelegramMessage, input)
  if (!success) return undefined
  const { chat, message_id, message_thread_id, is_topic_message, from } = message
  const text = textOf(message, me)
  const unquotedText = isForwarded(message) ? '' : markedTextOf(message, me)
  return {
    id: `${chat.id}:${message_id}`,
    address: String(chat.id),
    thread: is_topic_message === true && message_thread_id !== undefined ? String(message_thread_id) : undefined,
    user: String(from?.id ?? 'nobody'),
    mentioned: isMentioned(message, me),
    automatic: isAutomatic(message),
    text,
    ...(unquotedText !== text && { unquotedText }),
    files: filesOf(bot, message),
    reference: { message: message_id, private: chat.type === 'private' },
  }
}
