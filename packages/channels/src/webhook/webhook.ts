// The signed webhook channel: programs of the operator write to agents and get answers at the URL of the wiring.
import { once } from 'node:events'
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { wallMs, wallTime } from '@gatehouse/kernel'
import { answerOf, endingOf, isOpen, presentText } from '../cards/words.ts'
import type { CardPost, Cards, Channel, Listener } from '../channel.ts'
import { receiveWebhook, type WebhookAnswer } from './receive.ts'
import { type Letter, postWebhook, sendWebhook, type Way } from './send.ts'
import type { Signed } from './signature.ts'

/** Cards for programs: the whole card as JSON, each time it is shown, moves or is reminded of, and what to answer to decide it. */
type Act = 'posted' | 'updated' | 'reminded'

const letterOf = (act: Act, { id, card, place }: CardPost, text: string): Letter => {
  const { address, thread, reference } = place
  const answers = isOpen(card) ? { approve: answerOf('approve', card), reject: answerOf('reject', card) } : undefined
  const data = { address, thread, act, text, card, answers, inReplyTo: reference['inReplyTo'] }
  return { id, address, body: JSON.stringify({ type: 'card', timestamp: wallTime(), data }) }
}

const webhookCards = (way: Way): Cards => ({
  post: async (post, signal) => {
    await postWebhook(way, letterOf('posted', post, presentText(post.card)), signal)
    return {}
  },
  update: async (update, signal) => {
    await postWebhook(way, letterOf('updated', update, endingOf(update.card)), signal)
  },
  remind: async (reminder, signal) => {
    await postWebhook(way, letterOf('reminded', reminder, reminder.text), signal)
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
  /** One that came to the control plane. */
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
  const way = { secrets, ownAddress, outbound }
  let listener: Listener | undefined
  return {
    name: 'webhook',
    can,
    receive: async (given) => {
      listener = given
      given.up()
      if (!given.signal.aborted) await once(given.signal, 'abort')
      listener = undefined
    },
    accept: (signed) => receiveWebhook(signed, { secrets, take: listener?.take, now: clock() }),
    send: (message, signal) => sendWebhook(way, message, signal),
    cards: webhookCards(way),
    verify: () => Promise.resolve({ detail: 'there is no service to be asked: each message proves itself' }),
    close: () => Promise.resolve(),
  }
}
