// What the unit knows of channels: which there are, what comes in by one, what is to go out, and how each fares.
import * as v from 'valibot'
import { Channel } from './channel-table.ts'
import { SentFile } from './files.ts'
import { AgentGroupID, ConversationID, MessageID, SessionID, Time } from './ids.ts'
import { JsonObject } from './json.ts'
import { limits } from './limits.ts'

/** A place, person or id, as the channel names it. */
export const ChannelText = v.pipe(v.string(), v.minLength(1), v.maxLength(limits.channelText))

/** What a channel needs to answer a message: written by the channel, read by nobody else. */
export const Reference = v.pipe(
  JsonObject,
  v.check((reference) => JSON.stringify(reference).length <= limits.channelReference, 'expected a reference of at most 8 KiB'),
)
export type Reference = v.InferOutput<typeof Reference>

/** A message of an agent that its channel has not taken yet. */
export const Delivery = v.strictObject({
  session: SessionID,
  agentGroupID: AgentGroupID,
  conversationId: ConversationID,
  channel: Channel,
  id: MessageID,
  seq: v.number(),
  text: v.string(),
  files: v.array(SentFile),
  at: Time,
  /** Parts of it that the channel has taken already. */
  parts: v.number(),
  /** Of the message that it answers, or of the last one before it. */
  reference: Reference,
})
export type Delivery = v.InferOutput<typeof Delivery>

/** A message that could not be delivered. It stays in its conversation. */
export const DeadLetter = v.strictObject({
  channel: Channel,
  agentGroupID: AgentGroupID,
  conversationId: ConversationID,
  messageId: MessageID,
  reason: v.string(),
  at: Time,
})
export type DeadLetter = v.InferOutput<typeof DeadLetter>

export const channelStates = ['connecting', 'up', 'down', 'refused'] as const

/** How a channel fares. One without credentials is not in any list. */
export const ChannelView = v.strictObject({
  name: Channel,
  /** `refused`: the service does not take the credentials. */
  state: v.picklist(channelStates),
  since: Time,
  /** Who the unit is there, as the service says. */
  account: v.optional(v.string()),
  /** Why it is not up; never a word of the service's own. */
  reason: v.optional(v.string()),
  /** Messages that wait to be delivered. */
  waiting: v.number(),
  /** Messages that could not be delivered. */
  dead: v.number(),
})
export type ChannelView = v.InferOutput<typeof ChannelView>

export const ChannelList = v.strictObject({ items: v.array(ChannelView), letters: v.array(DeadLetter) })
export type ChannelList = v.InferOutput<typeof ChannelList>

/** What came of asking a service whether it takes the credentials. */
export const ChannelCheck = v.strictObject({
  name: Channel,
  accepted: v.boolean(),
  account: v.optional(v.string()),
  detail: v.string(),
  elapsedMs: v.number(),
})
export type ChannelCheck = v.InferOutput<typeof ChannelCheck>
