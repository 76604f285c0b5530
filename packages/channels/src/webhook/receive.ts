// Accepts a webhook whose raw bytes the control plane passed on. Nothing is parsed before the signature is verified.
import { canonicalAddress, type channelsControlPlane, ChannelText, jsonBounds, limits, type Result } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Inbound, Outcome } from '../channel.ts'
import { isGenuine, type Signed } from './signature.ts'

export type WebhookAnswer = Result<typeof channelsControlPlane, 'webhook'>

const Message = v.object({
  type: v.literal('message'),
  data: v.object({
    address: v.pipe(
      ChannelText,
      v.transform((address) => canonicalAddress('webhook', address)),
      ChannelText,
    ),
    user: ChannelText,
    text: v.pipe(v.string(), v.minLength(1), v.maxBytes(limits.messageText, 'expected at most 256 KiB')),
    thread: v.optional(ChannelText),
    mention: v.optional(v.boolean(), true),
    automatic: v.optional(v.boolean(), false),
  }),
})

const toInbound = ({ data }: v.InferOutput<typeof Message>, id: string): Inbound => {
  const { address, user, text, thread, mention: mentioned, automatic } = data
  return { id, address, user, text, thread, mentioned, automatic, files: [], reference: { inReplyTo: id } }
}

const answers: Partial<Record<Outcome, WebhookAnswer['outcome']>> = {
  accepted: 'accepted',
  decided: 'accepted',
  duplicate: 'duplicate',
  busy: 'busy',
  full: 'busy',
}

export interface WebhookReceiver {
  readonly secrets: readonly Buffer[]
  /** Undefined while the channel is not connected. */
  readonly take: ((message: Inbound) => Promise<Outcome>) | undefined
  /** Milliseconds. */
  readonly now: number
}

export const receiveWebhook = async (signed: Signed, { secrets, take, now }: WebhookReceiver): Promise<WebhookAnswer> => {
  if (!isGenuine(secrets, signed, now)) return { outcome: 'bad_signature' }
  if (take === undefined) return { outcome: 'busy' }
  const message = v.safeParse(v.pipe(jsonText(jsonBounds.webhook), Message), signed.body)
  if (!message.success) {
    const [issue] = message.issues
    const place = (issue.path ?? []).map(({ key }) => String(key)).join('/')
    return { outcome: 'invalid', detail: `/${place}: ${issue.message}`.slice(0, 500) }
  }
  // An ignored sender is not told why.
  return { outcome: answers[await take(toInbound(message.output, signed.id))] ?? 'refused' }
}
