// Parses updates of Telegram into messages, with their files. Undefined where an update holds no message for the agent.
import { limits, ServiceError } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { GrammyError } from 'grammy/web'
import * as v from 'valibot'
import type { Inbound, InboundFile } from '../channel.ts'
import type { Bot } from './bot.ts'
import { faultOf, patienceOf } from './faults.ts'
import { type Entity, type TelegramFile, TelegramMessage } from './update.ts'
import type { Me } from './verify.ts'

/** Files that came with a message, fetched when somebody who is heard sent them. */
const gone = (): ServiceError => new ServiceError('not-found', { detail: 'Telegram does not give the file' })

/** What will be the same the next time is said so, or the message would come for ever. */
const judge = (error: unknown): Error => {
  if (error instanceof ServiceError) return error
  const isFinal = error instanceof GrammyError && error.error_code === 400 && patienceOf(error) === undefined
  const isOurs = error instanceof OutboundFailure && error.kind !== 'proxy'
  return isFinal || isOurs ? gone() : faultOf(error)
}

/** What the server says of the file, not of the moment. */
const isRefused = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

const read = async (bot: Bot, { file_id }: TelegramFile): Promise<Uint8Array> => {
  try {
    const { file_path } = await bot.api(AbortSignal.timeout(limits.channelSendTime)).getFile(file_id)
    // A server of one's own may name a file of its own disk, which is not ours to read.
    if (file_path === undefined || file_path.startsWith('/') || file_path.includes('..')) throw gone()
    const response = await bot.download(file_path)
    if (isRefused(response.status)) throw gone()
    if (!response.ok) throw new Error(`Telegram answered ${response.status}`)
    return await response.bytes()
  } catch (error) {
    throw judge(error)
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

/** Whether a message speaks to the bot, and what it says besides the bot's name. */
interface Words {
  readonly text: string
  readonly entities: readonly Entity[]
}

const wordsOf = ({ text, entities, caption, caption_entities }: TelegramMessage): Words =>
  text === undefined ? { text: caption ?? '', entities: caption_entities ?? [] } : { text, entities: entities ?? [] }

/** What Telegram itself has marked as this bot's name: not what merely looks so. */
const isOurs = ({ text }: Words, { type, offset, length, user }: Entity, me: Me): boolean => {
  const word = text.slice(offset, offset + length).toLowerCase()
  const name = `@${me.username.toLowerCase()}`
  if (type === 'mention') return word === name
  if (type === 'text_mention') return user?.id === me.id
  return type === 'bot_command' && word.endsWith(name)
}

const isMentioned = (message: TelegramMessage, me: Me): boolean => {
  if (message.chat.type === 'private' || message.reply_to_message?.from?.id === me.id) return true
  const words = wordsOf(message)
  return words.entities.some((entity) => isOurs(words, entity, me))
}

const withoutName = (words: Words, me: Me): string => {
  const first = words.entities.find((entity) => entity.offset === 0 && isOurs(words, entity, me))
  if (first === undefined) return words.text
  const rest = words.text.slice(first.length)
  const command = first.type === 'bot_command' ? words.text.slice(0, first.length - me.username.length - 1) : ''
  return command === '' ? rest.trimStart() : `${command}${rest}`
}

/** Without the name where the message begins with it; a command keeps its own part. */
const textOf = (message: TelegramMessage, me: Me): string => withoutName(wordsOf(message), me)

/** What people set apart from their own words: Telegram says so beside the text, and not in it. */
const setApart: ReadonlySet<string> = new Set(['blockquote', 'expandable_blockquote', 'code', 'pre'])

/** The same with a mark around what is set apart, as services write it that have no entities. */
const markedTextOf = (message: TelegramMessage, me: Me): string => {
  const { text, entities } = wordsOf(message)
  const edges = entities.filter(({ type }) => setApart.has(type)).flatMap(({ offset, length }) => [offset, offset + length])
  const marked = edges.toSorted((a, b) => b - a).reduce((words, at) => `${words.slice(0, at)}\`${words.slice(at)}`, text)
  return withoutName({ text: marked, entities }, me)
}

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
