// Channels: references, deliveries, dead letters, channel status, and checks of webhook headers before the body is read, which
// refuse most invalid webhooks but do not authenticate any.
import * as v from 'valibot'
import { Channel } from './channel-table.ts'
import { SentFile } from './files.ts'
import { AgentGroupID, ConversationID, MessageID, SessionID, Time } from './ids.ts'
import { JsonObject } from './json.ts'
import { limits } from './limits.ts'

/** An address, user or id in the channel's own format. */
export const ChannelText = v.pipe(v.string(), v.minLength(1), v.maxLength(limits.channelText))

/** Data that a channel needs to answer a message. Written and read only by the channel. */
export const Reference = v.pipe(
  JsonObject,
  v.check((reference) => JSON.stringify(reference).length <= limits.channelReference, 'must be at most 8 KiB'),
)
export type Reference = v.InferOutput<typeof Reference>

/** An agent's message that is not delivered yet. */
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
  /** Number of parts that are already delivered. */
  parts: v.number(),
  /** Reference of the message that it answers, or of the last message before it. */
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

/** Status of a channel. Channels without credentials are not listed. */
export const ChannelView = v.strictObject({
  name: Channel,
  /** `refused`: the service rejects the credentials. */
  state: v.picklist(channelStates),
  since: Time,
  /** The unit's account name at the service. */
  account: v.optional(v.string()),
  /** The reason why it is not up. Never text from the service. */
  reason: v.optional(v.string()),
  /** Number of messages that wait for delivery. */
  waiting: v.number(),
  /** Number of messages that could not be delivered. */
  dead: v.number(),
})
export type ChannelView = v.InferOutput<typeof ChannelView>

export const ChannelList = v.strictObject({ items: v.array(ChannelView), letters: v.array(DeadLetter) })
export type ChannelList = v.InferOutput<typeof ChannelList>

/** Result of checking the credentials of a channel. */
export const ChannelCheck = v.strictObject({
  name: Channel,
  accepted: v.boolean(),
  account: v.optional(v.string()),
  detail: v.string(),
  elapsedMs: v.number(),
})
export type ChannelCheck = v.InferOutput<typeof ChannelCheck>

export interface WebhookHeaders {
  readonly id: string
  /** Seconds since the epoch, in decimal. */
  readonly timestamp: string
  readonly signature: string
}

/** `malformed`: the headers cannot be valid with any secret. `untimely`: the timestamp differs too much from now. */
type WebhookFault = 'malformed' | 'untimely'

/** Without dots, because a dot separates it from the time in the signed text. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/
const timeForm = /^\d{1,12}$/
/** Signatures separated by spaces. Those of other versions are ignored. */
const signatureForm = /(?:^| )v1,[A-Za-z0-9+/_-]{43}=?(?= |$)/

/** `now`: milliseconds. */
export const webhookFault = ({ id, timestamp, signature }: WebhookHeaders, now: number): WebhookFault | undefined => {
  if (!idForm.test(id) || !timeForm.test(timestamp) || !signatureForm.test(signature)) return 'malformed'
  return Math.abs(now / 1000 - Number(timestamp)) > limits.webhookSkew ? 'untimely' : undefined
}

/** Reasons to refuse a webhook that is not authenticated, in the order of the checks. */
export const webhookRefusals = ['absent', 'malformed', 'untimely', 'too-fast', 'too-many', 'too-large', 'forged'] as const
export type WebhookRefusal = (typeof webhookRefusals)[number]
