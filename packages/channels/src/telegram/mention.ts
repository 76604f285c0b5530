// Whether a message speaks to the bot, and what it says besides the bot's name.
import type { Entity, TelegramMessage } from './update.ts'
import type { Me } from './verify.ts'

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

export const isMentioned = (message: TelegramMessage, me: Me): boolean => {
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
export const textOf = (message: TelegramMessage, me: Me): string => withoutName(wordsOf(message), me)

/** What people set apart from their own words: Telegram says so beside the text, and not in it. */
const setApart: ReadonlySet<string> = new Set(['blockquote', 'expandable_blockquote', 'code', 'pre'])

/** The same with a mark around what is set apart, as services write it that have no entities. */
export const markedTextOf = (message: TelegramMessage, me: Me): string => {
  const { text, entities } = wordsOf(message)
  const edges = entities.filter(({ type }) => setApart.has(type)).flatMap(({ offset, length }) => [offset, offset + length])
  const marked = edges.toSorted((a, b) => b - a).reduce((words, at) => `${words.slice(0, at)}\`${words.slice(at)}`, text)
  return withoutName({ text: marked, entities }, me)
}
