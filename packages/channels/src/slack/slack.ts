// Slack as a channel: an app that keeps a connection to Slack (Socket Mode) and answers by its Web API.
import { limits } from '@gatehouse/contracts'
import { KeyedTurns, type Logger } from '@gatehouse/kernel'
import type { Channel } from '../channel.ts'
import { type AppOptions, createApp } from './app.ts'
import { slackCards } from './cards.ts'
import { receiveSlack } from './receive.ts'
import { sendSlack } from './send.ts'
import { accountOf, introduce, lackOf, mayConnect } from './verify.ts'

export interface SlackOptions extends AppOptions {
  readonly log: Logger
}

/** Beyond 4,000 characters a message is hard to read there; to one place about one message a second is taken. */
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
      const me = await introduce(app, signal)
      await mayConnect(app, signal)
      const detail = lackOf(me)
      return { account: accountOf(me), ...(detail !== undefined && { detail }) }
    },
    close: () => app.close(),
  }
}
