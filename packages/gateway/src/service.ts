// The gateway as a whole: its doors, its start and its stop. It calls nobody.
import { lifeEdge } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { beginCatalog, recallCatalog, reloadCatalog } from './catalog/reload.ts'
import { applyApproved } from './changes/apply-approved.ts'
import { expireAll } from './changes/expire.ts'
import { itself } from './changes/lines.ts'
import { brokerDoor } from './doors/broker.ts'
import { channelsDoor } from './doors/channels.ts'
import { controlPlaneDoor } from './doors/control-plane.ts'
import { modelProxyDoor } from './doors/model-proxy.ts'
import { runnerDoor } from './doors/runner.ts'
import { supervisorDoor } from './doors/supervisor.ts'
import type { Hall } from './events/audience.ts'
import type { Witness } from './evidence/asking.ts'
import { journalHostActs } from './host/acts.ts'
import { assertApprovers } from './principals/enough.ts'
import { isExpired } from './principals/resolve.ts'
import { furnish, type GatewayDeps, type Rooms } from './rooms.ts'
import { respellWirings } from './registry/respell.ts'
import { seed } from './seed/seed.ts'

export type { Listeners } from './events/audience.ts'
export { migrations } from './migrations.ts'
export type { GatewayDeps } from './rooms.ts'

export interface Gateway {
  readonly controlPlane: ReturnType<typeof controlPlaneDoor>
  readonly broker: ReturnType<typeof brokerDoor>
  readonly modelProxy: ReturnType<typeof modelProxyDoor>
  readonly runner: ReturnType<typeof runnerDoor>
  readonly channels: ReturnType<typeof channelsDoor>
  readonly supervisor: ReturnType<typeof supervisorDoor>
  /** Where the servers of the edges take their seats to hear events. */
  readonly audience: Pick<Hall, 'seat'>
  /** This witness has come: what is waited for is asked again. */
  readonly cameIn: (witness: Witness) => void
  /** Brings the database up to the journal; handlers may be called from then on. */
  start(): Promise<void>
  /** Reads the catalog file again, asked by a signal. Never rejects. */
  reload(): Promise<void>
  /** After the doors are closed. The journal and the database are the caller's to close. */
  stop(): Promise<void>
}

/** Tells one start of the unit from the next: every process of a unit is given the same secrets, once. */
const unitOf = ({ boot }: Rooms): string => sha256(boot.edges[lifeEdge('gateway').name] ?? '')

const begin = async (rooms: Rooms): Promise<void> => {
  const { boot, ledger, store, clock } = rooms
  await ledger.commit([{ stage: 'start', ...itself, detail: { version: boot.version, mode: boot.mode } }])
  await seed({ ledger, rows: store.read }, { mode: boot.mode, group: boot.seed, unit: unitOf(rooms), at: new Date(clock()).toISOString() })
}

/** What is kept in memory, as the database has it; and the time is not before that of the last line. */
const recall = async ({ journal, clock, ids, tokens, uses, freezes, store }: Rooms): Promise<void> => {
  const [last] = await journal.page({ limit: 1 }).catch(() => [])
  if (last !== undefined) clock.reach(Date.parse(last.time))
  await ids.resume()
  await Promise.all([tokens, uses, freezes].map((memory) => memory.load(store.read)))
  // The time that each token has left is counted from now on.
  for (const token of tokens.all()) isExpired({ token }, clock)
}

const start = async (rooms: Rooms): Promise<void> => {
  const { ledger, log, sessions, table, counts, declared, drift, catalog, store, retries, rounds } = rooms
  await ledger.open()
  await recall(rooms)
  await recallCatalog(rooms).catch((error: unknown) => log.error('what was in the catalog could not be read', { error }))
  assertApprovers(rooms)
  const whole = ledger.fault() === undefined
  if (whole) await begin(rooms).catch((error: unknown) => log.error('the start could not be journaled', { error }))
  await respellWirings(rooms).catch((error: unknown) => log.error('wirings of one address are kept apart', { error }))
  await sessions.load(store.read)
  await table.rebuild()
  await Promise.all([counts.load(store.read), declared.load(store.read)])
  await journalHostActs(rooms, whole).catch((error: unknown) =>
    log.error('what was done to the stopped unit could not be journaled', { error }),
  )
  if (whole) await beginCatalog(rooms).catch((error: unknown) => log.error('the catalog could not be brought up to the journal', { error }))
  if (whole && (await applyApproved(rooms).catch(() => 1)) > 0) retries.wake()
  await expireAll(rooms).catch((error: unknown) => log.warn('the expiry of changes failed', { error }))
  rounds.start()
  if (whole) for (const { name } of catalog.items()) void drift.look(name)
}

const reload = async (rooms: Rooms): Promise<void> => {
  if (!rooms.catalog.enabled) return
  await reloadCatalog(rooms, { ...itself, by: 'SIGHUP' }).catch((error: unknown) =>
    rooms.log.error('the catalog could not be reloaded', { error }),
  )
}

const stop = async ({ retries, rounds, failures, drift, counts, uses, store, ledger, log }: Rooms): Promise<void> => {
  await rounds.stop()
  await retries.stop()
  await failures.stop()
  await drift.settled()
  await counts.flush().catch((error: unknown) => log.warn('the counts of calls could not be written', { error }))
  await uses.save(store).catch((error: unknown) => log.warn('the uses of tokens could not be written', { error }))
  await ledger
    .commit([{ stage: 'stop', ...itself, detail: {} }])
    .catch((error: unknown) => log.warn('the stop could not be journaled', { error }))
  await ledger.sign()
  ledger.close()
}

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const createGateway = async (deps: GatewayDeps): Promise<Gateway> => {
  const rooms = await furnish(deps)
  return {
    controlPlane: controlPlaneDoor(rooms),
    broker: brokerDoor(rooms),
    modelProxy: modelProxyDoor(rooms),
    runner: runnerDoor(rooms),
    channels: channelsDoor(rooms),
    supervisor: supervisorDoor(rooms),
    audience: rooms.audience,
    cameIn: (witness) => rooms.asking.again(witness),
    start: () => start(rooms),
    reload: () => reload(rooms),
    stop: () => stop(rooms),
  }
}
