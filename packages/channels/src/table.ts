// The table of channels that this unit has. A channel without credentials is not made.
import type { ChannelName, ChannelsBoot } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Channel } from './channel.ts'
import { createEmail } from './email/email.ts'
import { createSlack } from './slack/slack.ts'
import { createTelegram } from './telegram/telegram.ts'
import { createWebhook, type Webhook } from './webhook/webhook.ts'

export interface ChannelTable {
  readonly all: ReadonlyMap<ChannelName, Channel>
  /** Receives its messages from the control plane. */
  readonly webhook: Webhook | undefined
}

export type TableOptions = Pick<ChannelsBoot, 'channels' | 'ownAddress' | 'outbound'> & { readonly log: Logger }

export const createTable = ({ channels, ...way }: TableOptions): ChannelTable => {
  const webhook = channels.webhook === undefined ? undefined : createWebhook({ credentials: channels.webhook, ...way })
  const slack = channels.slack === undefined ? undefined : createSlack({ credentials: channels.slack, ...way })
  const telegram = channels.telegram === undefined ? undefined : createTelegram({ credentials: channels.telegram, ...way })
  const email = channels.email === undefined ? undefined : createEmail({ credentials: channels.email, ...way })
  const made: Readonly<Record<ChannelName, Channel | undefined>> = { webhook, slack, telegram, email }
  return { all: new Map(Object.values(made).flatMap((channel) => (channel === undefined ? [] : [[channel.name, channel]]))), webhook }
}
