// The signed webhook as a channel: other programs of the operator write to agents, and are answered at the url of the wiring.
import { once } from 'node:events'
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import type { Channel, Listener } from '../channel.ts'
import { webhookCards } from './cards.ts'
import { receiveWebhook, type WebhookAnswer } from './receive.ts'
import { sendWebhook } from './send.ts'
import type { Signed } from './signature.ts'

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
