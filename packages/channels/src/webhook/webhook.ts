// The webhook channel: programs of the operator send signed messages to agents and receive replies at the URL of the wiring.
// Nothing is parsed before the signature is verified.
import { once } from 'node:events'
import {
  canonicalAddress,
  type ChannelCredentials,
  type channelsControlPlane,
  ChannelText,
  jsonBounds,
  limits,
  type OutboundSettings,
  type Result,
} from '@gatehouse/contracts'
import { jsonText, wallMs, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'
import { answerOf, endingOf, isOpen, presentText } from '../cards/texts.ts'
import type { CardPost, Cards, Channel, Inbound, Listener, Outcome } from '../channel.ts'
import { postWebhook, type SendOptions, sendWebhook, type WebhookMessage } from './send.ts'
import { isGenuine, type Signed } from './signature.ts'

type WebhookAnswer = Result<typeof channelsControlPlane, 'webhook'>

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

interface WebhookReceiver {
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

/** Cards for programs: the whole card as JSON each time it is posted, updated or reminded of, with the commands that decide it. */
type Act = 'posted' | 'updated' | 'reminded'

const toMessage = (act: Act, { id, card, place }: CardPost, text: string): WebhookMessage => {
  const { address, thread, reference } = place
  const answers = isOpen(card) ? { approve: answerOf('approve', card), reject: answerOf('reject', card) } : undefined
  const data = { address, thread, act, text, card, answers, inReplyTo: reference['inReplyTo'] }
  return { id, address, body: JSON.stringify({ type: 'card', timestamp: wallTime(), data }) }
}

const webhookCards = (options: SendOptions): Cards => ({
  post: async (post, signal) => {
    await postWebhook(options, toMessage('posted', post, presentText(post.card)), signal)
    return {}
  },
  update: async (update, signal) => {
    await postWebhook(options, toMessage('updated', update, endingOf(update.card)), signal)
  },
  remind: async (reminder, signal) => {
    await postWebhook(options, toMessage('reminded', reminder, reminder.text), signal)
  },
})

interface WebhookOptions {
  readonly credentials: NonNullable<ChannelCredentials['webhook']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

export interface Webhook extends Channel {
  /** Accepts a webhook that the control plane received. */
  accept(signed: Signed): Promise<WebhookAnswer>
}

const can: Channel['can'] = {
  threads: true,
  ids: true,
  length: 200_000,
  files: { size: limits.file, together: false },
  pace: { perSecond: 50, burst: 50 },
  placePace: { perSecond: 10, burst: 20 },
}

export const createWebhook = ({ credentials, ownAddress, outbound, clock = wallMs }: WebhookOptions): Webhook => {
  const secrets = credentials.secrets.map((secret) => Buffer.from(secret, 'base64'))
  const options = { secrets, ownAddress, outbound }
  let listener: Listener | undefined
  return {
    name: 'webhook',
    can,
    receive: async (current) => {
      listener = current
      current.up()
      if (!current.signal.aborted) await once(current.signal, 'abort')
      listener = undefined
    },
    accept: (signed) => receiveWebhook(signed, { secrets, take: listener?.take, now: clock() }),
    send: (message, signal) => sendWebhook(options, message, signal),
    cards: webhookCards(options),
    verify: () => Promise.resolve({ detail: 'no service to check: each message is verified by its signature' }),
    close: () => Promise.resolve(),
  }
}
