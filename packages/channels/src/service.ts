// The channels service: incoming messages, outgoing messages and cards. RPC handlers and events of other services.
import {
  type Card,
  type ChannelCheck,
  type ChannelList,
  type ChannelName,
  type ChannelsBoot,
  type channelsControlPlane,
  type gatewayChannels,
  type Health,
  limits,
  type runnerChannels,
  ServiceError,
} from '@gatehouse/contracts'
import { createBuckets, KeyedTurns, type Logger, type Metrics } from '@gatehouse/kernel'
import { createLife, type EdgeClient, type EventListeners, type Handlers, type LifeHandlers } from '@gatehouse/rpc'
import { decideByPress, decideByText, type Deciding, decisionOutcomes, explainDecision } from './cards/decide.ts'
import { CardDispatcher, cardOutcomes } from './cards/dispatcher.ts'
import { type Channel, ChannelFault, outcomes, type ShownCard } from './channel.ts'
import { ChannelConnection } from './connection/connection.ts'
import { Patience } from './inbound/files.ts'
import { type Intake, takeMessage } from './inbound/take.ts'
import { Deliveries } from './outbound/deliveries.ts'
import { Pacer } from './state/pacer.ts'
import { type ChannelTable, createTable } from './table.ts'

/** Asks the service of a channel whether it takes the credentials, and says what came of it in our own words. */
const checkChannel = async (channels: ReadonlyMap<ChannelName, Channel>, name: ChannelName): Promise<ChannelCheck> => {
  const channel = channels.get(name)
  if (channel === undefined)
    throw new ServiceError('not-found', { detail: `this unit has no credentials for ${name}`, hint: 'start it with them' })
  const began = performance.now()
  const elapsedMs = (): number => Math.round(performance.now() - began)
  try {
    const { account, detail = 'the service takes the credentials' } = await channel.verify(AbortSignal.timeout(limits.probeTime))
    return {
      name,
      accepted: true,
      ...(account !== undefined && { account }),
      detail,
      elapsedMs: elapsedMs(),
    }
  } catch (error) {
    const detail = error instanceof ChannelFault ? error.message : 'the service was not reached'
    return { name, accepted: false, detail, elapsedMs: elapsedMs() }
  }
}

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
  readonly life: LifeHandlers
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

const healthOf = (lines: readonly ChannelConnection[]): Health => {
  const broken = lines.map(({ state }) => state).filter(({ state }) => state === 'down' || state === 'refused')
  const facts = Object.fromEntries(
    lines.map(({ state: { name, state, reason } }) => [name, reason === undefined ? state : `${state}: ${reason}`]),
  )
  return { status: broken.length === 0 ? 'ready' : 'degraded', degraded: broken.map(({ name }) => `channel ${name}`), facts }
}

const listChannels = async (
  lines: readonly ChannelConnection[],
  runner: Pick<EdgeClient<typeof runnerChannels>, 'calls'>,
): Promise<ChannelList> => {
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
const openLines = (deciding: Deciding & Pick<Intake, 'gateway' | 'runner'>): ChannelConnection[] => {
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
      new ChannelConnection({
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
  const board = new CardDispatcher({ ...options, ...outward })
  const lines = openLines({ ...outward, budget: newBudget(), metrics, log, signal: stopping.signal })
  showFromTheStart(metrics, channels.keys())
  for (const line of lines) line.start()
  return {
    controlPlane: {
      channels: () => listChannels(lines, runner),
      check: ({ channel }) => checkChannel(channels, channel),
      webhook: (signed) => webhook?.accept(signed) ?? { outcome: 'absent' },
    },
    life: createLife(metrics, () => healthOf(lines)),
    stop: async () => {
      await Promise.all(lines.map((line) => line.stop()))
      stopping.abort()
      await Promise.all([deliveries.stop(), board.stop()])
      gateway.close()
      runner.close()
    },
  }
}
