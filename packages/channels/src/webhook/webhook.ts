// The webhook channel: programs of the operator send signed messages to agents and receive replies at the URL of the wiring.
import { once } from 'node:events'
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { wallMs, wallTime } from '@gatehouse/kernel'
import { answerOf, endingOf, isOpen, presentText } from '../cards/texts.ts'
import type { CardPost, Cards, Channel, Listener } from '../channel.ts'
import { receiveWebhook, type WebhookAnswer } from './receive.ts'
import { postWebhook, type SendOptions, sendWebhook, type WebhookMessage } from './send.ts'
import type { Signed } from './signature.ts'

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

export interface WebhookOptions {
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
