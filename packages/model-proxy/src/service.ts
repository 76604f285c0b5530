// The model proxy, which gives sessions access to model providers request by request: RPC handlers and gateway events.
import { join } from 'node:path'
import {
  type gatewayModelProxy,
  type Health,
  limits,
  type ModelProxyBoot,
  type modelProxyControlPlane,
  ServiceError,
  stateFiles,
} from '@gatehouse/contracts'
import type { Records } from '@gatehouse/journal'
import {
  createServe,
  type Logger,
  type Metrics,
  privateDirectory,
  RunningExchanges,
  Sessions,
  type SessionsOptions,
  wallMs,
} from '@gatehouse/kernel'
import { type Calls, createLife, type EdgeClient, type EventListeners, type Handlers, type LifeHandlers } from '@gatehouse/rpc'
import { Budget } from './budget.ts'
import type { ModelCaller } from './call.ts'
import { checkProvider } from './check-provider.ts'
import { createFlights, createHandle, type ModelFlights } from './handle.ts'
import { Agents } from './providers/provider.ts'
import { createProviders, type ProviderTable } from './providers/table.ts'
import { createRecordClock, reachNewest, readPage, recallSpending, type RecordClock } from './records/read.ts'
import { Recorder } from './records/recorder.ts'

interface HealthOf {
  readonly providers: ProviderTable
  readonly sessions: { readonly size: number }
  readonly recorder: Pick<Recorder, 'isWritable'>
}

const health = ({ providers, sessions, recorder }: HealthOf): Health => {
  const degraded = recorder.isWritable ? [] : [stateFiles.modelCalls]
  const facts = { providers: [...providers.keys()], sessions: sessions.size }
  return { status: degraded.length === 0 ? 'ready' : 'degraded', degraded, facts }
}

export interface GatewayListeners {
  readonly on: EventListeners<typeof gatewayModelProxy>
  onConnect(): Promise<void>
}

export interface ModelProxyOptions {
  readonly boot: Pick<ModelProxyBoot, 'runDir' | 'halves' | 'providers' | 'ownAddress' | 'outbound'>
  /** The client of the gateway, which survives lost connections. */
  connect(listeners: GatewayListeners): Pick<EdgeClient<typeof gatewayModelProxy>, 'calls' | 'close'>
  readonly records: Omit<Records, 'close'>
  readonly log: Logger
  /** Writes at `info` whatever the level of the process. */
  readonly recordLog: Logger
  readonly metrics: Metrics
  /** Default: those of the boot document. */
  readonly providers?: ProviderTable
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Milliseconds for a request, and for a provider without output; defaults from the limits. */
  readonly callTime?: number
  readonly idleTime?: number
}

export interface ModelProxy {
  readonly controlPlane: Handlers<typeof modelProxyControlPlane>
  readonly life: LifeHandlers
  /** Waits briefly for running requests, then aborts and records them. */
  stop(): Promise<void>
}

interface Rooms {
  readonly flights: ModelFlights
  readonly sessions: Sessions<ModelCaller>
}

const listenToGateway = (rooms: () => Rooms, log: Logger): GatewayListeners => {
  /** The next connection to the gateway repeats whatever failed. */
  const begin = (event: string, act: Promise<void>): void =>
    void act.catch((error: unknown) => log.warn('an event failed', { event, error }))
  return {
    on: {
      'session-opened': (session) => begin('session-opened', rooms().sessions.opened(session)),
      'session-closed': ({ session }) => begin('session-closed', rooms().sessions.closed(session)),
      'permissions-changed': ({ agentGroupID }) =>
        begin(
          'permissions-changed',
          rooms().flights.recheck(({ session }) => session.agentGroupID === agentGroupID),
        ),
      'freeze-changed': () => begin('freeze-changed', rooms().flights.recheck()),
    },
    onConnect: async () => void (await Promise.all([rooms().sessions.synchronize(), rooms().flights.recheck()])),
  }
}

const surfaceOf = (
  gateway: Calls<typeof gatewayModelProxy>,
): Pick<SessionsOptions<ModelCaller>, 'surface' | 'sessions' | 'report' | 'callerOf'> => ({
  surface: 'model',
  sessions: () => gateway.sessions({}),
  report: (session) => gateway.surfaceReady({ session, surface: 'model' }),
  callerOf: ({ session, agentGroupID }) => ({ id: session, agentGroupID, running: 0 }),
})

const peopleDoor = (
  { providers, agents, budget }: { providers: ProviderTable; agents: Agents; budget: Budget },
  records: ModelProxyOptions['records'],
): ModelProxy['controlPlane'] => ({
  providers: () => ({
    items: [...providers.values()].map(({ provider: { name, origin, paths } }) => ({
      name,
      host: new URL(origin).host,
      paths: paths.map(({ at }) => `/${name}${at}`),
    })),
    spending: budget.all(),
  }),
  records: (filter) => readPage(records, filter),
  check: ({ provider }) => {
    const keyed = providers.get(provider)
    if (keyed === undefined) throw new ServiceError('not-found', { detail: `this unit has no key for ${provider}` })
    return checkProvider(keyed, agents)
  },
})

interface Recollecting {
  readonly recorder: Recorder
  readonly budget: Budget
  readonly clock: RecordClock
}

/** Completes and counts the records of an earlier process before anything is sent. */
const recollect = async ({ recorder, budget, clock }: Recollecting, records: ModelProxyOptions['records']): Promise<void> => {
  await reachNewest(records, clock)
  await recorder.recover()
  await recallSpending(records, budget, clock())
}

export const createModelProxy = async (options: ModelProxyOptions): Promise<ModelProxy> => {
  const { boot, log, metrics, records, recordLog } = options
  const clock = createRecordClock(options.clock ?? wallMs, log)
  await privateDirectory(join(boot.runDir, 'model'), 0o711)
  const stopping = new AbortController()
  const running = new RunningExchanges()
  const providers = options.providers ?? createProviders(boot.providers)
  const agents = new Agents({ ...boot, idleTime: options.idleTime ?? limits.modelIdle })
  const budget = new Budget(clock)
  const recorder = new Recorder({ records, log: recordLog, metrics, clock })
  await recollect({ recorder, budget, clock }, records)
  const client = options.connect(listenToGateway(() => rooms, log))
  const flights = createFlights(client.calls, budget)
  const handle = createHandle({ gateway: client.calls, providers, agents, budget, recorder, flights })
  const patience = { stopping: stopping.signal, callTime: options.callTime ?? limits.modelTime }
  const fault = (error: unknown, caller: ModelCaller): undefined => {
    log.error('request on a model socket failed', { session: caller.id, error })
  }
  // Handles every path and method: they differ between providers, and refusals use the provider's format.
  const serve = createServe<ModelCaller>({ routes: { '*': { method: '*', run: handle } }, fault, running, ...patience })
  const rooms: Rooms = {
    flights,
    sessions: new Sessions({ ...surfaceOf(client.calls), runDir: boot.runDir, isSplit: boot.halves !== undefined, serve, log }),
  }
  return {
    controlPlane: peopleDoor({ providers, agents, budget }, records),
    life: createLife(metrics, () => health({ providers, recorder, sessions: rooms.sessions })),
    stop: async () => {
      await running.end(() => stopping.abort())
      await Promise.all([rooms.sessions.close(), agents.close()])
      client.close()
    },
  }
}
