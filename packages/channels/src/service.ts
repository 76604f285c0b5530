// The channels: what people write comes in, what agents say goes out. Handlers of its edges and of the events of others.
import {
  type Card,
  type ChannelList,
  type ChannelName,
  type ChannelsBoot,
  type channelsControlPlane,
  type gatewayChannels,
  type Health,
  type lifeEdge,
  limits,
  type runnerChannels,
} from '@gatehouse/contracts'
import { createBuckets, KeyedTurns, type Logger, type Metrics } from '@gatehouse/kernel'
import type { EdgeClient, EventListeners, Handlers } from '@gatehouse/rpc'
import { Board, cardOutcomes } from './cards/board.ts'
import { decideByPress, decideByText, type Deciding, decisionOutcomes, explainDecision } from './cards/decide.ts'
import { outcomes, type ShownCard } from './channel.ts'
import { checkChannel } from './check.ts'
import { Patience } from './inbound/files.ts'
import { type Intake, takeMessage } from './inbound/take.ts'
import { Line } from './line/line.ts'
import { Deliveries } from './outbound/deliveries.ts'
import { Pacer } from './outbound/pace.ts'
import { type ChannelTable, createTable } from './table.ts'

export interface Listeners<E extends typeof gatewayChannels | typeof runnerChannels> {
  readonly on: EventListeners<E>
  readonly onConnect: () => void
}

export interface ChannelsOptions {
  readonly boot: Pick<ChannelsBoot, 'channels' | 'ownAddress' | 'outbound' | 'publicUrl'>
  /** Clients that stay when their connections do not. */
  connectGateway(listeners: Listeners<typeof gatewayChannels>): Pick<EdgeClient<typeof gatewayChannels>, 'calls' | 'close'>
  connectRunner(listeners: Listeners<typeof runnerChannels>): Pick<EdgeClient<typeof runnerChannels>, 'calls' | 'close'>
  readonly log: Logger
  readonly metrics: Metrics
  /** Default: those of the boot document. */
  readonly table?: ChannelTable
  /** Milliseconds; default those of the limits. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

export interface Channels {
  readonly controlPlane: Handlers<typeof channelsControlPlane>
  readonly life: Handlers<ReturnType<typeof lifeEdge>>
  stop(): Promise<void>
}

/** The console's page about a change. */
const pageOf = (publicUrl: string, { changeID }: Card): string => `${publicUrl.replace(/\/$/, '')}/ui/changes/${changeID}`

const showFromTheStart = (metrics: Metrics, names: Iterable<ChannelName>): void => {
  for (const channel of names) {
    for (const outcome of outcomes) metrics.touch('channel_messages_total', { channel, outcome })
    for (const outcome of cardOutcomes) metrics.touch('cards_total', { channel, outcome })
    for (const outcome of decisionOutcomes) metrics.touch('card_decisions_total', { channel, outcome })
    for (const outcome of ['ok', 'kept', 'retried', 'dead']) metrics.touch('deliveries_total', { channel, outcome })
  }
}

const healthOf = (lines: readonly Line[]): Health => {
  const broken = lines.map(({ state }) => state).filter(({ state }) => state === 'down' || state === 'refused')
  const facts = Object.fromEntries(
    lines.map(({ state: { name, state, reason } }) => [name, reason === undefined ? state : `${state}: ${reason}`]),
  )
  return { status: broken.length === 0 ? 'ready' : 'degraded', degraded: broken.map(({ name }) => `channel ${name}`), facts }
}

const listChannels = async (lines: readonly Line[], runner: Pick<EdgeClient<typeof runnerChannels>, 'calls'>): Promise<ChannelList> => {
  const states = lines.map(({ state }) => state)
  const { counts, letters } = await runner.calls.letters({ channels: states.map(({ name }) => name), limit: limits.channelLetters })
  const items = states.map((state) => {
    const { waiting = 0, dead = 0 } = counts.find(({ channel }) => channel === state.name) ?? {}
    return { ...state, waiting, dead }
  })
  return { items, letters }
}

const newBudget = () => createBuckets({ perSecond: limits.channelPerMinute / 60, burst: limits.channelBurst })

/** The way in of each channel: messages for agents, and words on held changes. */
const openLines = (deciding: Deciding & Pick<Intake, 'gateway' | 'runner'>): Line[] => {
  const { channels, metrics, log } = deciding
  const ways = { turns: new KeyedTurns(), patience: new Patience() }
  const intake: Intake = {
    ...deciding,
    ...ways,
    decide: (channel, said) => decideByText(deciding, channel, said),
    explain: (channel, message) => explainDecision(deciding, channel, message),
  }
  return [...channels.values()].map(
    (channel) =>
      new Line({
        channel,
        take: (message, isBehind) => takeMessage(intake, channel.name, { message, isBehind }),
        decide: (press) => decideByPress(deciding, channel.name, press),
        metrics,
        log,
      }),
  )
}

export const createChannels = (options: ChannelsOptions): Channels => {
  const { boot, log, metrics } = options
  const table = options.table ?? createTable({ ...boot, log })
  const { all: channels, webhook } = table
  const wakeAll = (): void => {
    deliveries.wakeAll()
    board.wakeAll()
  }
  const on = { 'freeze-changed': () => deliveries.wakeAll(), 'cards-changed': () => board.wake() }
  const gateway = options.connectGateway({ on, onConnect: wakeAll })
  const runner = options.connectRunner({ on: { outbox: () => deliveries.wake() }, onConnect: () => deliveries.wakeAll() })
  const stopping = new AbortController()
  const show = (card: Card): ShownCard => (boot.publicUrl === undefined ? card : { ...card, url: pageOf(boot.publicUrl, card) })
  const outward = { gateway: gateway.calls, runner: runner.calls, channels, pacer: new Pacer(), show }
  const deliveries = new Deliveries({ ...options, ...outward })
  const board = new Board({ ...options, ...outward })
  const lines = openLines({ ...outward, budget: newBudget(), metrics, log, signal: stopping.signal })
  showFromTheStart(metrics, channels.keys())
  for (const line of lines) line.start()
  return {
    controlPlane: {
      channels: () => listChannels(lines, runner),
      check: ({ channel }) => checkChannel(channels, channel),
      webhook: (signed) => webhook?.accept(signed) ?? { outcome: 'absent' },
    },
    life: {
      health: () => healthOf(lines),
      metrics: async () => (await metrics.json()).map((metric) => ({ ...metric })),
    },
    stop: async () => {
      await Promise.all(lines.map((line) => line.stop()))
      stopping.abort()
      await Promise.all([deliveries.stop(), board.stop()])
      gateway.close()
      runner.close()
    },
  }
}
