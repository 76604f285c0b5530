// The channels service: RPC handlers, events of other services, and the wiring of incoming messages, outgoing messages and cards.
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
import { createBuckets, KeyedQueue, type Logger, type Metrics } from '@gatehouse/kernel'
import { createLife, type EdgeClient, type EventListeners, type Handlers, type LifeHandlers } from '@gatehouse/rpc'
import { decideByInteraction, decideByText, type DecisionContext, decisionOutcomes, explainDecision } from './cards/decide.ts'
import { CardDispatcher, cardOutcomes } from './cards/dispatcher.ts'
import { type Channel, ChannelFault, outcomes, type ShownCard } from './channel.ts'
import { ChannelConnection } from './connection/connection.ts'
import { HoldTimeout } from './inbound/files.ts'
import { type Intake, takeMessage } from './inbound/take.ts'
import { Deliveries } from './outbound/deliveries.ts'
import { Pacer } from './state/pacer.ts'
import { type ChannelTable, createTable } from './table.ts'

/** Checks a channel's credentials with its service. The answer holds no text of the service. */
const checkChannel = async (channels: ReadonlyMap<ChannelName, Channel>, name: ChannelName): Promise<ChannelCheck> => {
  const channel = channels.get(name)
  if (channel === undefined)
    throw new ServiceError('not-found', { detail: `this unit has no credentials for ${name}`, hint: 'start it with them' })
  const began = performance.now()
  const elapsedMs = (): number => Math.round(performance.now() - began)
  try {
    const { account, detail = 'the service accepts the credentials' } = await channel.verify(AbortSignal.timeout(limits.probeTime))
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
  /** Clients that reconnect. */
  connectGateway(listeners: Listeners<typeof gatewayChannels>): Pick<EdgeClient<typeof gatewayChannels>, 'calls' | 'close'>
  connectRunner(listeners: Listeners<typeof runnerChannels>): Pick<EdgeClient<typeof runnerChannels>, 'calls' | 'close'>
  readonly log: Logger
  readonly metrics: Metrics
  /** Default: the channels of the boot document. */
  readonly table?: ChannelTable
  /** Milliseconds. Defaults are in `limits`. */
  readonly retryFirst?: number
  readonly retryMost?: number
}

export interface Channels {
  readonly controlPlane: Handlers<typeof channelsControlPlane>
  readonly life: LifeHandlers
  stop(): Promise<void>
}

/** URL of the change's page in the console. */
const pageOf = (publicUrl: string, { changeID }: Card): string => `${publicUrl.replace(/\/$/, '')}/ui/changes/${changeID}`

const initializeMetrics = (metrics: Metrics, names: Iterable<ChannelName>): void => {
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

const createRateLimit = () => createBuckets({ perSecond: limits.channelPerMinute / 60, burst: limits.channelBurst })

/** One connection per channel, for messages to agents and decisions about pending changes. */
const openConnections = (context: DecisionContext & Pick<Intake, 'gateway' | 'runner'>): ChannelConnection[] => {
  const { channels, metrics, log } = context
  const ways = { turns: new KeyedQueue(), patience: new HoldTimeout() }
  const intake: Intake = {
    ...context,
    ...ways,
    decide: (channel, said) => decideByText(context, channel, said),
    explain: (channel, message) => explainDecision(context, channel, message),
  }
  return [...channels.values()].map(
    (channel) =>
      new ChannelConnection({
        channel,
        take: (message, isBehind) => takeMessage(intake, channel.name, { message, isBehind }),
        decide: (press) => decideByInteraction(context, channel.name, press),
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
    dispatcher.wakeAll()
  }
  const on = { 'freeze-changed': () => deliveries.wakeAll(), 'cards-changed': () => dispatcher.wake() }
  const gateway = options.connectGateway({ on, onConnect: wakeAll })
  const runner = options.connectRunner({ on: { outbox: () => deliveries.wake() }, onConnect: () => deliveries.wakeAll() })
  const stopping = new AbortController()
  const show = (card: Card): ShownCard => (boot.publicUrl === undefined ? card : { ...card, url: pageOf(boot.publicUrl, card) })
  const outward = { gateway: gateway.calls, runner: runner.calls, channels, pacer: new Pacer(), show }
  const deliveries = new Deliveries({ ...options, ...outward })
  const dispatcher = new CardDispatcher({ ...options, ...outward })
  const lines = openConnections({ ...outward, budget: createRateLimit(), metrics, log, signal: stopping.signal })
  initializeMetrics(metrics, channels.keys())
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
      await Promise.all([deliveries.stop(), dispatcher.stop()])
      gateway.close()
      runner.close()
    },
  }
}
