// The Slack channel: an app that receives by Socket Mode and sends by the Web API.
import { limits } from '@gatehouse/contracts'
import { KeyedTurns, type Logger } from '@gatehouse/kernel'
import type { Channel } from '../channel.ts'
import { type AppOptions, createApp } from './app.ts'
import { slackCards } from './cards.ts'
import { receiveSlack } from './receive.ts'
import { sendSlack } from './send.ts'
import { accountOf, identifyBot, describeMissingScope, checkSocketAccess } from './verify.ts'

export interface SlackOptions extends AppOptions {
  readonly log: Logger
}

/** Slack recommends at most 4,000 characters, and allows about one message per second and channel. */
const can: Channel['can'] = {
  threads: true,
  ids: false,
  length: 4000,
  files: { size: limits.file, together: false },
  markup: true,
  pace: { perSecond: 5, burst: 10 },
  placePace: { perSecond: 1, burst: 3 },
}

export const createSlack = ({ log, ...options }: SlackOptions): Channel => {
  const app = createApp(options)
  const cards = { app, turns: new KeyedTurns() }
  return {
    name: 'slack',
    can,
    receive: (listener) => receiveSlack({ app, log, cards }, listener),
    send: (message, signal) => sendSlack(app, message, signal),
    cards: slackCards(cards),
    verify: async (signal) => {
      const me = await identifyBot(app, signal)
      await checkSocketAccess(app, signal)
      const detail = describeMissingScope(me)
      return { account: accountOf(me), ...(detail !== undefined && { detail }) }
    },
    close: () => app.close(),
  }
}
