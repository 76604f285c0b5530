// The broker's service: its dependencies, constructed once, the handlers of its edges and the listeners of the gateway's events. Each
// handler delegates to one use case.
import { join } from 'node:path'
import {
  type BrokerBoot,
  type brokerControlPlane,
  type gatewayBroker,
  type Health,
  limits,
  ServiceError,
  type SessionID,
  stateFiles,
} from '@gatehouse/contracts'
import {
  createServe,
  type Logger,
  type Metrics,
  privateDirectory,
  problemReply,
  type Reply,
  RunningExchanges,
  Sessions,
  type SessionsOptions,
  type ReportSecret,
} from '@gatehouse/kernel'
import type { Resolve } from '@gatehouse/outbound'
import { type Calls, createLife, type EdgeClient, type EventListeners, type Handlers, type LifeHandlers } from '@gatehouse/rpc'
import { type CallSession, createInFlight, type InFlightCalls } from './calls/session.ts'
import { Clients } from './clients/clients.ts'
import { createAuthorizationFetch } from './oauth/fetch.ts'
import { LoginStore, loginsFile } from './oauth/login-store.ts'
import { Logins } from './oauth/logins.ts'
import { queryRecords } from './records/query.ts'
import { Recorder, type Records } from './records/recorder.ts'
import { createRoutes } from './socket/routes.ts'
import { Catalog } from './upstream/catalog.ts'
import { EvidenceReporter, Servers } from './upstream/servers.ts'
import { type ConnectSettings, ProtocolCache } from './upstream/make-transport.ts'
import { Origins } from './upstream/origins.ts'
import type { Containers } from './upstream/stdio/containers.ts'
import { ExclusiveStarts } from './upstream/stdio/exclusive.ts'
import { ServerLogStore } from './upstream/stdio/server-logs.ts'

interface HealthSources {
  readonly servers: Pick<Servers, 'states'>
  readonly sessions: { readonly size: number }
  readonly recorder: Pick<Recorder, 'isWritable'>
}

/** A server that is down degrades the broker, and so do records that cannot be written. An idle server does not. */
const getHealth = ({ servers, sessions, recorder }: HealthSources): Health => {
  const states = Object.entries(servers.states())
  const down = states.filter(([, { status }]) => status === 'down' || status === 'needs-login').map(([name]) => name)
  const degraded = recorder.isWritable ? down : [...down, stateFiles.calls]
  const facts = { servers: states.length, sessions: sessions.size }
  return { status: degraded.length === 0 ? 'ready' : 'degraded', degraded, facts }
}

export interface GatewayListeners {
  readonly on: EventListeners<typeof gatewayBroker>
  onConnect(): Promise<void>
}

export interface BrokerOptions {
  readonly boot: Pick<
    BrokerBoot,
    | 'keys'
    | 'runDir'
    | 'halves'
    | 'isolation'
    | 'variables'
    | 'ownAddress'
    | 'outbound'
    | 'version'
    | 'stateDir'
    | 'isRated'
    | 'mcpEndpoint'
  >
  /** The client of the gateway, which outlives its connections. */
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
  readonly secret: ReportSecret
  /** Seam for tests. */
  readonly resolve?: Resolve | undefined
}

export interface Broker {
  readonly controlPlane: Handlers<typeof brokerControlPlane>
  readonly life: LifeHandlers
  /** Gives running calls a moment, then aborts and records them, and ends the servers. */
  stop(): Promise<void>
}

interface Services {
  readonly inFlight: InFlightCalls
  readonly sessions: Sessions<CallSession>
  readonly clients: Clients
  readonly catalog: Catalog
  readonly servers: Servers
  readonly evidence: EvidenceReporter
  readonly logins: Logins
  /** Ends the clients whose end was not heard of. */
  readonly endClosedClients: () => Promise<void>
}

/** The socket is closed first: until then a call may still start a server for the session. */
const endSession = async ({ sessions, clients, servers }: Services, session: SessionID): Promise<void> => {
  try {
    if (!clients.closed(session)) await sessions.closed(session)
  } finally {
    await servers.leave(session)
  }
}

const listenToGateway = (services: () => Services, log: Logger): GatewayListeners => {
  /** The next connection to the gateway repeats whatever failed. */
  const begin = (event: string, act: Promise<void>): void =>
    void act.catch((error: unknown) => log.warn('an event failed', { event, error }))
  return {
    on: {
      'session-opened': (session) => begin('session-opened', services().sessions.opened(session)),
      'session-closed': ({ session }) => begin('session-closed', endSession(services(), session)),
      'catalog-changed': () => begin('catalog-changed', services().catalog.synchronize()),
      'grant-changed': ({ agentGroupID, server }) =>
        begin(
          'grant-changed',
          services().inFlight.recheck(({ session, address }) => session.agentGroupID === agentGroupID && address.server === server),
        ),
      'freeze-changed': () => begin('freeze-changed', services().inFlight.recheck()),
      'observation-wanted': ({ server }) => begin('observation-wanted', services().catalog.observe(server)),
    },
    onConnect: async () => {
      const { sessions, catalog, evidence, inFlight, endClosedClients } = services()
      await Promise.all([catalog.synchronize(), sessions.synchronize(), evidence.resend(), inFlight.recheck(), endClosedClients()])
    },
  }
}

/** Sandboxes reach the sockets, and each server its home. No earlier unit's files are left there. */
const prepareDirectories = async (runDir: string): Promise<void> => {
  await privateDirectory(join(runDir, 'tools'), 0o711)
  await privateDirectory(join(runDir, 'servers'))
}

const buildSurface = (
  gateway: Calls<typeof gatewayBroker>,
): Pick<SessionsOptions<CallSession>, 'surface' | 'sessions' | 'report' | 'callerOf'> => ({
  surface: 'tools',
  sessions: () => gateway.sessions({}),
  report: (session) => gateway.surfaceReady({ session, surface: 'tools' }),
  callerOf: ({ session, agentGroupID }) => ({ id: session, agentGroupID, names: undefined }),
})

const createHandlers = ({ catalog, servers, clients, logins }: Services, records: Records): Broker['controlPlane'] => ({
  ...clients.handlers,
  ...logins.handlers,
  probe: ({ name }) => catalog.probe(name),
  logs: (query) => catalog.logs(query),
  states: () => servers.states(),
  records: (query) => queryRecords(records, query),
})

const createLogins = (options: BrokerOptions, { gateway, origins, logins: store }: Environment, servers: () => Servers): Logins => {
  const { boot, log, metrics, secret, resolve } = options
  return new Logins({
    store,
    gateway,
    metrics,
    log,
    secret,
    variables: boot.variables,
    createFetch: async (entry) => createAuthorizationFetch({ boot, reach: await origins.reachOf(entry), resolve }),
    onChanged: (name) => servers().renew(name),
  })
}

const buildSettings = (
  { boot, log, secret, containers, resolve }: BrokerOptions,
  { origins, logins }: { readonly origins: Origins; readonly logins: Logins },
): ConnectSettings => ({
  boot,
  log,
  secret,
  containers,
  protocolCache: new ProtocolCache(),
  serverLogs: new ServerLogStore(),
  exclusiveStarts: new ExclusiveStarts(),
  resolve,
  reachOf: (entry) => origins.reachOf(entry),
  logins,
})

interface AllServices extends Services {
  readonly recorder: Recorder
}

interface Environment {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly origins: Origins
  /** On disk. */
  readonly logins: LoginStore
  readonly stopping: AbortSignal
  readonly running: RunningExchanges
}

const compose = (options: BrokerOptions, environment: Environment): AllServices => {
  const { gateway, origins, stopping, running } = environment
  const { boot, log, metrics, records, recordLog } = options
  const evidence = new EvidenceReporter(gateway, log)
  const logins = createLogins(options, environment, () => servers)
  const settings = buildSettings(options, { origins, logins })
  const servers: Servers = new Servers({ settings, log, metrics, onListed: (item, tools) => void evidence.report(item, tools) })
  const recorder = new Recorder({ records, metrics, log: recordLog, isKnown: (server) => servers.item(server) !== undefined })
  const inFlight = createInFlight(gateway)
  const callServices = { gateway, servers, recorder, inFlight }
  const patience = { stopping, callTime: options.callTime ?? limits.callTime }
  const fault = (error: unknown, { id }: CallSession): Reply => {
    log.error('request on a session socket failed', { session: id, error })
    return problemReply(new ServiceError('internal'))
  }
  const serve = createServe({ routes: createRoutes(callServices, boot.isRated), fault, running, ...patience })
  const clients = new Clients({
    services: callServices,
    running,
    ...patience,
    isEnabled: boot.mcpEndpoint === true,
    isRated: boot.isRated,
  })
  const services: AllServices = {
    clients,
    endClosedClients: async () => {
      for (const session of await clients.findClosed(gateway)) await endSession(services, session)
    },
    recorder,
    inFlight,
    evidence,
    logins,
    servers,
    catalog: new Catalog({ gateway, servers, settings, evidence, origins, log }),
    sessions: new Sessions({ ...buildSurface(gateway), runDir: boot.runDir, isSplit: boot.halves !== undefined, serve, log }),
  }
  return services
}

export const createBroker = async (options: BrokerOptions): Promise<Broker> => {
  const { boot, log, metrics, records } = options
  await prepareDirectories(boot.runDir)
  const origins = await Origins.open({ stateDir: boot.stateDir, log, resolve: options.resolve })
  const logins = await LoginStore.open({ path: join(boot.stateDir, loginsFile), keys: boot.keys, log })
  const stopping = new AbortController()
  const running = new RunningExchanges()
  // The gateway may speak from here on: it waits for no answer until the services are there.
  const client = options.connect(listenToGateway(() => services, log))
  const services = compose(options, { gateway: client.calls, origins, logins, stopping: stopping.signal, running })
  const { recorder, servers, sessions } = services
  await recorder.recover()
  return {
    controlPlane: createHandlers(services, records),
    life: createLife(metrics, () => getHealth({ servers, recorder, sessions })),
    stop: async () => {
      await running.end(() => stopping.abort())
      await Promise.all([sessions.close(), servers.close(), origins.close(), services.logins.close()])
      client.close()
      options.containers?.close()
    },
  }
}
