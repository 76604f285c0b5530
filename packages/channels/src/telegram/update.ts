// An update as Telegram sends it, as far as we look at it. What has another form is let go of, so that it cannot stand in the way.
import { limits } from '@gatehouse/contracts'
import * as v from 'valibot'

const Id = v.pipe(v.number(), v.safeInteger())

const Person = v.object({ id: Id, is_bot: v.boolean() })

const Entity = v.object({
  type: v.string(),
  /** In UTF-16 units. */
  offset: v.pipe(v.number(), v.integer(), v.minValue(0)),
  length: v.pipe(v.number(), v.integer(), v.minValue(0)),
  user: v.optional(v.object({ id: Id })),
})
export type Entity = v.InferOutput<typeof Entity>

const Document = v.object({ file_id: v.string(), file_size: v.optional(v.number()), file_name: v.optional(v.string()) })

export const TelegramMessage = v.object({
  message_id: Id,
  message_thread_id: v.optional(Id),
  is_topic_message: v.optional(v.boolean()),
  is_automatic_forward: v.optional(v.boolean()),
  from: v.optional(Person),
  /** A group or channel that speaks in place of a person. */
  sender_chat: v.optional(v.object({ id: Id })),
  /** Said before by somebody, and sent on; servers of before 2024 say only when. */
  forward_origin: v.optional(v.unknown()),
  forward_date: v.optional(v.unknown()),
  /** Written by this bot for who sent it. */
  via_bot: v.optional(v.unknown()),
  chat: v.object({ id: Id, type: v.string() }),
  reply_to_message: v.optional(v.object({ from: v.optional(Person) })),
  text: v.optional(v.string()),
  entities: v.optional(v.array(Entity)),
  caption: v.optional(v.string()),
  caption_entities: v.optional(v.array(Entity)),
  document: v.optional(Document),
  /** The same picture in several sizes, the largest last. */
  photo: v.optional(v.array(Document)),
  audio: v.optional(Document),
  video: v.optional(Document),
  voice: v.optional(Document),
})
export type TelegramMessage = v.InferOutput<typeof TelegramMessage>
export type TelegramFile = v.InferOutput<typeof Document>

/** A button that was pressed. Of a message that is old only the place and the number come. */
export const TelegramPress = v.object({
  id: v.pipe(v.string(), v.maxLength(limits.channelMessageID)),
  from: Person,
  message: v.optional(v.object({ message_id: Id, chat: v.object({ id: Id }), text: v.optional(v.string()) })),
  data: v.optional(v.string()),
})
export type TelegramPress = v.InferOutput<typeof TelegramPress>

/** Whatever else it holds, it has a number. */
export const Update = v.object({ update_id: Id, message: v.optional(v.unknown()), callback_query: v.optional(v.unknown()) })
export type Update = v.InferOutput<typeof Update>
