// The gateway: its handlers, start and stop. It calls no other process.
import { lifeEdge } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { isExpired } from './auth/authenticate.ts'
import { assertApprovers } from './auth/persons.ts'
import { reconcileCatalog, reloadCatalog, restoreCatalog } from './catalog/reload.ts'
import { applyApproved } from './changes/apply.ts'
import { expireAll } from './changes/withdraw.ts'
import { createServices, type GatewayDeps, type Services } from './compose.ts'
import { controlPlaneHandlers } from './handlers/control-plane.ts'
import { brokerHandlers, channelsHandlers, modelProxyHandlers, runnerHandlers, supervisorHandlers } from './handlers/services.ts'
import { recordHostActs } from './host-records.ts'
import { seed } from './seed.ts'
import { canonicalizeWirings } from './state/canonical-wirings.ts'
import { systemActor } from './state/change-records.ts'
import type { EvidenceSource } from './state/evidence-waiters.ts'
import type { SubscriberRegistry } from './state/subscribers.ts'

export type { Listeners } from './state/subscribers.ts'
export { migrations } from './migrations.ts'
export type { GatewayDeps } from './compose.ts'

export interface Gateway {
  readonly controlPlane: ReturnType<typeof controlPlaneHandlers>
  readonly broker: ReturnType<typeof brokerHandlers>
  readonly modelProxy: ReturnType<typeof modelProxyHandlers>
  readonly runner: ReturnType<typeof runnerHandlers>
  readonly channels: ReturnType<typeof channelsHandlers>
  readonly supervisor: ReturnType<typeof supervisorHandlers>
  /** Where the RPC servers of the edges subscribe to events. */
  readonly subscribers: Pick<SubscriberRegistry, 'subscribe'>
  /** Called when an evidence source connects. Repeats its pending requests. */
  readonly onConnected: (source: EvidenceSource) => void
  /** Brings the database up to date with the journal. Handlers may be called afterwards. */
  start(): Promise<void>
  /** Reloads the catalog file on a signal. Never rejects. */
  reload(): Promise<void>
  /** Call it after the RPC servers are closed. The caller closes the journal and the database. */
  stop(): Promise<void>
}

/** Identifies one start of the unit: all its processes share secrets that are new at each start. */
const getStartID = ({ boot }: Services): string => sha256(boot.edges[lifeEdge('gateway').name] ?? '')

const begin = async (services: Services): Promise<void> => {
  const { boot, ledger, store, clock } = services
  await ledger.commit([{ stage: 'start', ...systemActor, detail: { version: boot.version, mode: boot.mode } }])
  await seed(
    { ledger, rows: store.read },
    { mode: boot.mode, group: boot.seed, unit: getStartID(services), at: new Date(clock()).toISOString() },
  )
}

/** Loads the state in memory from the database, and moves the clock past the last record. */
const loadState = async ({ journal, clock, ids, tokens, uses, freezes, store }: Services): Promise<void> => {
  const [last] = await journal.page({ limit: 1 }).catch(() => [])
  if (last !== undefined) clock.reach(Date.parse(last.time))
  await ids.resume()
  await Promise.all([tokens, uses, freezes].map((memory) => memory.load(store.read)))
  // Starts the monotonic countdown of each token.
  for (const token of tokens.all()) isExpired({ token }, clock)
}

const start = async (services: Services): Promise<void> => {
  const { ledger, log, sessions, table, counts, declared, drift, catalog, store, retries, rounds } = services
  await ledger.open()
  await loadState(services)
  await restoreCatalog(services).catch((error: unknown) => log.error('could not restore the catalog', { error }))
  assertApprovers(services)
  const isWritable = ledger.fault() === undefined
  if (isWritable) await begin(services).catch((error: unknown) => log.error('could not journal the start', { error }))
  await canonicalizeWirings(services).catch((error: unknown) => log.error('could not migrate wirings to canonical addresses', { error }))
  await sessions.load(store.read)
  await table.rebuild()
  await Promise.all([counts.load(store.read), declared.load(store.read)])
  await recordHostActs(services, isWritable).catch((error: unknown) =>
    log.error('could not journal host operations on the stopped unit', { error }),
  )
  if (isWritable)
    await reconcileCatalog(services).catch((error: unknown) =>
      log.error('could not bring the catalog up to date with the journal', { error }),
    )
  if (isWritable && (await applyApproved(services).catch(() => 1)) > 0) retries.wake()
  await expireAll(services).catch((error: unknown) => log.warn('could not expire changes', { error }))
  rounds.start()
  if (isWritable) for (const { name } of catalog.items()) void drift.look(name)
}

const reload = async (services: Services): Promise<void> => {
  if (!services.catalog.enabled) return
  await reloadCatalog(services, { ...systemActor, by: 'SIGHUP' }).catch((error: unknown) =>
    services.log.error('could not reload the catalog', { error }),
  )
}

const stop = async ({ retries, rounds, failures, drift, counts, uses, store, ledger, log }: Services): Promise<void> => {
  await rounds.stop()
  await retries.stop()
  await failures.stop()
  await drift.settled()
  await counts.flush().catch((error: unknown) => log.warn('could not persist call counters', { error }))
  await uses.save(store).catch((error: unknown) => log.warn('could not persist token uses', { error }))
  await ledger
    .commit([{ stage: 'stop', ...systemActor, detail: {} }])
    .catch((error: unknown) => log.warn('could not journal the stop', { error }))
  await ledger.sign()
  ledger.close()
}

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const createGateway = async (deps: GatewayDeps): Promise<Gateway> => {
  const services = await createServices(deps)
  return {
    controlPlane: controlPlaneHandlers(services),
    broker: brokerHandlers(services),
    modelProxy: modelProxyHandlers(services),
    runner: runnerHandlers(services),
    channels: channelsHandlers(services),
    supervisor: supervisorHandlers(services),
    subscribers: services.subscribers,
    onConnected: (source) => services.asking.again(source),
    start: () => start(services),
    reload: () => reload(services),
    stop: () => stop(services),
  }
}
