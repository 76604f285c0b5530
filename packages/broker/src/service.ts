// The broker: tools lent to sessions, call by call. Handlers of its edges and of the gateway's events, one line each into an act.
import { join } from 'node:path'
import { type BrokerBoot, type brokerControlPlane, type gatewayBroker, type lifeEdge, limits, type SessionID } from '@gatehouse/contracts'
import {
  createServe,
  type Logger,
  type Metrics,
  privateDirectory,
  RunningExchanges,
  Sessions,
  type SessionsOptions,
} from '@gatehouse/kernel'
import type { Resolve } from '@gatehouse/outbound'
import type { Calls, EdgeClient, EventListeners, Handlers } from '@gatehouse/rpc'
import { createInFlight, type InFlight } from './calls/in-flight.ts'
import { readCalls } from './calls/read.ts'
import { Recorder, type Records } from './calls/record.ts'
import type { CallSession } from './calls/session.ts'
import { health } from './health.ts'
import { createRoutes } from './socket/routes.ts'
import { Catalog } from './upstream/catalog.ts'
import { Eras } from './upstream/eras.ts'
import type { ConnectSettings } from './upstream/make-transport.ts'
import { Observations } from './upstream/observations.ts'
import { Origins } from './upstream/origins.ts'
import { Servers } from './upstream/servers.ts'
import { Alone } from './upstream/stdio/alone.ts'
import { Output } from './upstream/stdio/output.ts'
import type { Containers } from './upstream/stdio/containers.ts'

export interface GatewayListeners {
  readonly on: EventListeners<typeof gatewayBroker>
  onConnect(): Promise<void>
}

export interface BrokerOptions {
  readonly boot: Pick<
    BrokerBoot,
    'runDir' | 'halves' | 'isolation' | 'variables' | 'ownAddress' | 'outbound' | 'version' | 'stateDir' | 'isRated'
  >
  /** The client of the gateway, which stays when its connection does not. */
  connect(listeners: GatewayListeners): Pick<EdgeClient<typeof gatewayBroker>, 'calls' | 'close'>
  readonly records: Records
  /** Where local servers run in containers. */
  readonly containers?: Containers | undefined
  readonly log: Logger
  /** Writes at `info` whatever the level of the process. */
  readonly recordLog: Logger
  readonly metrics: Metrics
  /** Milliseconds that a call may take; default that of the limits. */
  readonly callTime?: number
  /** Registers a value that no log may show. */
  readonly secret: (value: string) => void
  /** Seam for tests. */
  readonly resolve?: Resolve | undefined
}

export interface Broker {
  readonly controlPlane: Handlers<typeof brokerControlPlane>
  readonly life: Handlers<ReturnType<typeof lifeEdge>>
  /** Gives running calls a moment, then gives them up, records them, and ends the servers. */
  stop(): Promise<void>
}

interface Rooms {
  readonly inFlight: InFlight
  readonly sessions: Sessions<CallSession>
  readonly catalog: Catalog
  readonly servers: Servers
  readonly observations: Observations
}

/** Until its socket is closed a call may still begin a server of its own. */
const endSession = async ({ sessions, servers }: Rooms, session: SessionID): Promise<void> => {
  try {
    await sessions.closed(session)
  } finally {
    await servers.leave(session)
  }
}

const listenToGateway = (rooms: () => Rooms, log: Logger): GatewayListeners => {
  /** The next connection to the gateway makes good for what failed. */
  const begin = (event: string, act: Promise<void>): void =>
    void act.catch((error: unknown) => log.warn('an event failed', { event, error }))
  return {
    on: {
      'session-opened': (session) => begin('session-opened', rooms().sessions.opened(session)),
      'session-closed': ({ session }) => begin('session-closed', endSession(rooms(), session)),
      'catalog-changed': () => begin('catalog-changed', rooms().catalog.synchronize()),
      'grant-changed': ({ agentGroupID, server }) =>
        begin(
          'grant-changed',
          rooms().inFlight.recheck(({ session, address }) => session.agentGroupID === agentGroupID && address.server === server),
        ),
      'freeze-changed': () => begin('freeze-changed', rooms().inFlight.recheck()),
      'observation-wanted': ({ server }) => begin('observation-wanted', rooms().catalog.observe(server)),
    },
    onConnect: async () => {
      const { sessions, catalog, observations, inFlight } = rooms()
      await Promise.all([catalog.synchronize(), sessions.synchronize(), observations.tellAgain(), inFlight.recheck()])
    },
  }
}

/** A socket is the sandbox's to reach, a home is its server's; both lie where no earlier unit's files matter. */
const prepareDirectories = async (runDir: string): Promise<void> => {
  await privateDirectory(join(runDir, 'tools'), 0o711)
  await privateDirectory(join(runDir, 'servers'))
}

const surfaceOf = (
  gateway: Calls<typeof gatewayBroker>,
): Pick<SessionsOptions<CallSession>, 'surface' | 'sessions' | 'report' | 'callerOf'> => ({
  surface: 'tools',
  sessions: () => gateway.sessions({}),
  report: (session) => gateway.surfaceReady({ session, surface: 'tools' }),
  callerOf: ({ session, agentGroupID }) => ({ id: session, agentGroupID, names: undefined }),
})

const handlersOf = ({ catalog, servers }: Rooms, records: Records): Broker['controlPlane'] => ({
  probe: ({ name }) => catalog.probe(name),
  logs: (query) => catalog.logs(query),
  states: () => servers.states(),
  records: (wanted) => readCalls(records, wanted),
})

const settingsOf = ({ boot, log, secret, containers, resolve }: BrokerOptions, origins: Origins): ConnectSettings => ({
  boot,
  log,
  secret,
  containers,
  eras: new Eras(),
  output: new Output(),
  alone: new Alone(),
  resolve,
  reachOf: (entry) => origins.reachOf(entry),
})

interface Composed extends Rooms {
  readonly recorder: Recorder
}

interface Around {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly origins: Origins
  readonly stopping: AbortSignal
  readonly running: RunningExchanges
}

const compose = (options: BrokerOptions, { gateway, origins, stopping, running }: Around): Composed => {
  const { boot, log, metrics, records, recordLog } = options
  const observations = new Observations(gateway, log)
  const settings = settingsOf(options, origins)
  const servers = new Servers({ settings, log, metrics, onListed: (item, tools) => void observations.tell(item, tools) })
  const recorder = new Recorder({ records, metrics, log: recordLog, isKnown: (server) => servers.item(server) !== undefined })
  const inFlight = createInFlight(gateway)
  const routes = createRoutes({ gateway, servers, recorder, inFlight }, boot.isRated)
  const serve = createServe({ routes, log, running, stopping, callTime: options.callTime ?? limits.callTime })
  return {
    recorder,
    inFlight,
    observations,
    servers,
    catalog: new Catalog({ gateway, servers, settings, observations, origins, log }),
    sessions: new Sessions({ ...surfaceOf(gateway), runDir: boot.runDir, isSplit: boot.halves !== undefined, serve, log }),
  }
}

export const createBroker = async (options: BrokerOptions): Promise<Broker> => {
  const { boot, log, metrics, records } = options
  await prepareDirectories(boot.runDir)
  const origins = await Origins.open({ stateDir: boot.stateDir, log, resolve: options.resolve })
  const stopping = new AbortController()
  const running = new RunningExchanges()
  // The gateway may speak from here on: until the rooms are there nothing is waited for.
  const client = options.connect(listenToGateway(() => rooms, log))
  const rooms = compose(options, { gateway: client.calls, origins, stopping: stopping.signal, running })
  const { recorder, servers, sessions } = rooms
  await recorder.recover()
  return {
    controlPlane: handlersOf(rooms, records),
    life: {
      health: () => health({ servers, recorder, sessions }),
      metrics: async () => (await metrics.json()).map((metric) => ({ ...metric })),
    },
    stop: async () => {
      await running.end(() => stopping.abort())
      await Promise.all([sessions.close(), servers.close(), origins.close()])
      client.close()
      options.containers?.close()
    },
  }
}
