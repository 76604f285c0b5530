// The gateway: its handlers, start and stop. It calls no other process.
import { lifeEdge } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { isExpired } from './auth/authenticate.ts'
import { assertApprovers } from './auth/persons.ts'
import { beginCatalog, recallCatalog, reloadCatalog } from './catalog/reload.ts'
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
  /** Where the servers of the edges take their seats to hear events. */
  readonly subscribers: Pick<SubscriberRegistry, 'subscribe'>
  /** This witness has come: what is waited for is asked again. */
  readonly onConnected: (witness: EvidenceSource) => void
  /** Brings the database up to the journal; handlers may be called from then on. */
  start(): Promise<void>
  /** Reads the catalog file again, asked by a signal. Never rejects. */
  reload(): Promise<void>
  /** After the doors are closed. The journal and the database are the caller's to close. */
  stop(): Promise<void>
}

/** Tells one start of the unit from the next: every process of a unit is given the same secrets, once. */
const unitOf = ({ boot }: Services): string => sha256(boot.edges[lifeEdge('gateway').name] ?? '')

const begin = async (services: Services): Promise<void> => {
  const { boot, ledger, store, clock } = services
  await ledger.commit([{ stage: 'start', ...systemActor, detail: { version: boot.version, mode: boot.mode } }])
  await seed(
    { ledger, rows: store.read },
    { mode: boot.mode, group: boot.seed, unit: unitOf(services), at: new Date(clock()).toISOString() },
  )
}

/** What is kept in memory, as the database has it; and the time is not before that of the last line. */
const recall = async ({ journal, clock, ids, tokens, uses, freezes, store }: Services): Promise<void> => {
  const [last] = await journal.page({ limit: 1 }).catch(() => [])
  if (last !== undefined) clock.reach(Date.parse(last.time))
  await ids.resume()
  await Promise.all([tokens, uses, freezes].map((memory) => memory.load(store.read)))
  // The time that each token has left is counted from now on.
  for (const token of tokens.all()) isExpired({ token }, clock)
}

const start = async (services: Services): Promise<void> => {
  const { ledger, log, sessions, table, counts, declared, drift, catalog, store, retries, rounds } = services
  await ledger.open()
  await recall(services)
  await recallCatalog(services).catch((error: unknown) => log.error('what was in the catalog could not be read', { error }))
  assertApprovers(services)
  const whole = ledger.fault() === undefined
  if (whole) await begin(services).catch((error: unknown) => log.error('the start could not be journaled', { error }))
  await canonicalizeWirings(services).catch((error: unknown) => log.error('wirings of one address are kept apart', { error }))
  await sessions.load(store.read)
  await table.rebuild()
  await Promise.all([counts.load(store.read), declared.load(store.read)])
  await recordHostActs(services, whole).catch((error: unknown) =>
    log.error('what was done to the stopped unit could not be journaled', { error }),
  )
  if (whole)
    await beginCatalog(services).catch((error: unknown) => log.error('the catalog could not be brought up to the journal', { error }))
  if (whole && (await applyApproved(services).catch(() => 1)) > 0) retries.wake()
  await expireAll(services).catch((error: unknown) => log.warn('the expiry of changes failed', { error }))
  rounds.start()
  if (whole) for (const { name } of catalog.items()) void drift.look(name)
}

const reload = async (services: Services): Promise<void> => {
  if (!services.catalog.enabled) return
  await reloadCatalog(services, { ...systemActor, by: 'SIGHUP' }).catch((error: unknown) =>
    services.log.error('the catalog could not be reloaded', { error }),
  )
}

const stop = async ({ retries, rounds, failures, drift, counts, uses, store, ledger, log }: Services): Promise<void> => {
  await rounds.stop()
  await retries.stop()
  await failures.stop()
  await drift.settled()
  await counts.flush().catch((error: unknown) => log.warn('the counts of calls could not be written', { error }))
  await uses.save(store).catch((error: unknown) => log.warn('the uses of tokens could not be written', { error }))
  await ledger
    .commit([{ stage: 'stop', ...systemActor, detail: {} }])
    .catch((error: unknown) => log.warn('the stop could not be journaled', { error }))
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
    onConnected: (witness) => services.asking.again(witness),
    start: () => start(services),
    reload: () => reload(services),
    stop: () => stop(services),
  }
}
