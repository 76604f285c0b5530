// The gateway as a whole: its doors, its start and its stop. It calls nobody.
import { lifeEdge } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { applyApproved } from './changes/apply-approved.ts'
import { itself } from './changes/lines.ts'
import { brokerDoor } from './doors/broker.ts'
import { controlPlaneDoor } from './doors/control-plane.ts'
import { runnerDoor } from './doors/runner.ts'
import { supervisorDoor } from './doors/supervisor.ts'
import type { Hall } from './events/audience.ts'
import { furnish, type GatewayDeps, type Rooms } from './rooms.ts'
import { seed } from './seed/seed.ts'

export type { Listeners } from './events/audience.ts'
export { migrations } from './migrations.ts'
export type { GatewayDeps } from './rooms.ts'

export interface Gateway {
  readonly controlPlane: ReturnType<typeof controlPlaneDoor>
  readonly broker: ReturnType<typeof brokerDoor>
  readonly runner: ReturnType<typeof runnerDoor>
  readonly supervisor: ReturnType<typeof supervisorDoor>
  /** Where the servers of the edges take their seats to hear events. */
  readonly audience: Pick<Hall, 'seat'>
  /** Brings the database up to the journal; handlers may be called from then on. */
  start(): Promise<void>
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

const start = async (rooms: Rooms): Promise<void> => {
  const { ledger, ids, log, sessions, table, store, retries } = rooms
  await ledger.open()
  await ids.resume()
  const whole = ledger.fault() === undefined
  if (whole) await begin(rooms).catch((error: unknown) => log.error('the start could not be journaled', { error }))
  await sessions.load(store.read)
  await table.rebuild()
  if (whole && (await applyApproved(rooms).catch(() => 1)) > 0) retries.wake()
}

const stop = async ({ retries, ledger, log }: Rooms): Promise<void> => {
  await retries.stop()
  await ledger
    .commit([{ stage: 'stop', ...itself, detail: {} }])
    .catch((error: unknown) => log.warn('the stop could not be journaled', { error }))
}

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const createGateway = async (deps: GatewayDeps): Promise<Gateway> => {
  const rooms = await furnish(deps)
  return {
    controlPlane: controlPlaneDoor(rooms),
    broker: brokerDoor(rooms),
    runner: runnerDoor(rooms),
    supervisor: supervisorDoor(rooms),
    audience: rooms.audience,
    start: () => start(rooms),
    stop: () => stop(rooms),
  }
}
