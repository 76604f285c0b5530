// The Telegram channel: a bot that receives by long polling.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Channel } from '../channel.ts'
import { createBot } from './bot.ts'
import { telegramCards } from './cards.ts'
import { receiveTelegram } from './receive.ts'
import { sendTelegram } from './send.ts'
import { accountOf, identifyBot } from './verify.ts'

export interface TelegramOptions {
  readonly credentials: NonNullable<ChannelCredentials['telegram']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  readonly log: Logger
}

/** Telegram allows 20 messages per minute and group, 30 per second and bot, and about one per second and person. */
const can: Channel['can'] = {
  threads: true,
  ids: false,
  length: 4096,
  files: { size: limits.file, together: false },
  markup: true,
  pace: { perSecond: 25, burst: 25 },
  placePace: { perSecond: 1 / 3, burst: 3 },
}

export const createTelegram = ({ log, ...way }: TelegramOptions): Channel => {
  const bot = createBot(way)
  return {
    name: 'telegram',
    can,
    receive: (listener) => receiveTelegram({ bot, log }, listener),
    send: (message, signal) => sendTelegram(bot, message, signal),
    cards: telegramCards(bot),
    verify: async (signal) => ({ account: accountOf(await identifyBot(bot, signal)) }),
    close: () => bot.close(),
  }
}
