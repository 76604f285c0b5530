// The fields of Telegram's updates that the unit reads. Updates of any other form are dropped, so that they cannot block others.
import { limits } from '@gatehouse/contracts'
import * as v from 'valibot'

const Id = v.pipe(v.number(), v.safeInteger())

const Person = v.object({ id: Id, is_bot: v.boolean() })

const Entity = v.object({
  type: v.string(),
  /** UTF-16 code units. */
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
  /** The group or channel on whose behalf the message was sent. */
  sender_chat: v.optional(v.object({ id: Id })),
  /** Set on forwarded messages; older Bot API servers set only the date. */
  forward_origin: v.optional(v.unknown()),
  forward_date: v.optional(v.unknown()),
  /** The bot that wrote the message for its sender. */
  via_bot: v.optional(v.unknown()),
  chat: v.object({ id: Id, type: v.string() }),
  reply_to_message: v.optional(v.object({ from: v.optional(Person) })),
  text: v.optional(v.string()),
  entities: v.optional(v.array(Entity)),
  caption: v.optional(v.string()),
  caption_entities: v.optional(v.array(Entity)),
  document: v.optional(Document),
  /** The image in several sizes, largest last. */
  photo: v.optional(v.array(Document)),
  audio: v.optional(Document),
  video: v.optional(Document),
  voice: v.optional(Document),
})
export type TelegramMessage = v.InferOutput<typeof TelegramMessage>
export type TelegramFile = v.InferOutput<typeof Document>

/** A clicked button. An old message has only its chat and id. */
export const TelegramInteraction = v.object({
  id: v.pipe(v.string(), v.maxLength(limits.channelMessageID)),
  from: Person,
  message: v.optional(v.object({ message_id: Id, chat: v.object({ id: Id }), text: v.optional(v.string()) })),
  data: v.optional(v.string()),
})
export type TelegramInteraction = v.InferOutput<typeof TelegramInteraction>

/** Every update has an id. */
export const Update = v.object({ update_id: Id, message: v.optional(v.unknown()), callback_query: v.optional(v.unknown()) })
export type Update = v.InferOutput<typeof Update>
