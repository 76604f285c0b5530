// Health and metrics of the gateway, for the supervisor.
import { Change, type Health } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Clock, Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type ApproverDeps, missingApprovers } from './auth/persons.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Catalog } from './state/catalog.ts'
import type { OpenSessions } from './state/sessions.ts'

interface MissingDeps extends ApproverDeps {
  readonly catalog: Pick<Catalog, 'fault'>
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'unpersisted'>
}

/** Milliseconds that the clock may be ahead before it is reported. */
const maxAhead = 60_000

const clockFault = (clock: Clock): string | undefined => {
  const ahead = clock.ahead()
  return ahead > maxAhead ? `${Math.round(ahead / 1000)} s ahead of the system clock, which was set back` : undefined
}

const actsFault = ({ ledger }: Pick<MissingDeps, 'ledger'>): string | undefined => {
  const count = ledger.unpersisted()
  return count === 0 ? undefined : `${count} not on disk yet: they are lost when the gateway stops`
}

/** The reason for each degraded part. */
const findDegraded = (deps: MissingDeps): ReadonlyMap<string, string> => {
  const faults = { catalog: deps.catalog.fault(), approvers: missingApprovers(deps), clock: clockFault(deps.clock), acts: actsFault(deps) }
  return new Map(Object.entries(faults).flatMap(([part, reason]) => (reason === undefined ? [] : [[part, reason] as const])))
}

/** Logs each part when it becomes degraded and when it recovers. */
export const createDegradedReporter = (log: Logger): ((deps: MissingDeps) => void) => {
  let reported = new Set<string>()
  return (deps) => {
    const degradedParts = findDegraded(deps)
    for (const [part, reason] of degradedParts) if (!reported.has(part)) log.warn('degraded', { part, reason })
    for (const part of reported) if (!degradedParts.has(part)) log.info('no longer degraded', { part })
    reported = new Set(degradedParts.keys())
  }
}

export interface LifeDeps extends MissingDeps {
  readonly store: Store
  readonly journal: Journal
  readonly ledger: Ledger
  readonly sessions: OpenSessions
  readonly metrics: Metrics
}

const countHeld = async ({ store }: LifeDeps): Promise<number> =>
  (await store.read.get<{ held: number }>(`SELECT count(*) AS held FROM changes WHERE state = 'held'`))?.held ?? 0

const degraded = (deps: LifeDeps): string[] => [
  ...(deps.ledger.fault() === undefined ? [] : ['journal']),
  ...(deps.journal.hasReserve() ? [] : ['disk']),
  ...findDegraded(deps).keys(),
]

/** `failed` if nothing can be decided. The gateway still answers reads then. */
export const health = async (deps: LifeDeps): Promise<Health> => {
  const fault = deps.ledger.fault()
  const parts = degraded(deps)
  return {
    status: fault !== undefined ? 'failed' : parts.length > 0 ? 'degraded' : 'ready',
    degraded: parts,
    facts: {
      held: await countHeld(deps),
      sessions: deps.sessions.all().length,
      head: deps.journal.head().seq,
      ...(fault === undefined ? {} : { journal: fault }),
      ...Object.fromEntries(findDegraded(deps)),
    },
  }
}

const oldestHeld = async ({ store, clock }: LifeDeps): Promise<number> => {
  const row = await store.read.get<{ record: string }>(`SELECT record FROM changes WHERE state = 'held' ORDER BY id LIMIT 1`)
  return row === undefined ? 0 : Math.max(0, (clock() - Date.parse(v.parse(Change, JSON.parse(row.record)).createdAt)) / 1000)
}

/** Updates the gauges when metrics are read. */
export const readMetrics = async (deps: LifeDeps): Promise<Record<string, unknown>[]> => {
  deps.metrics.gauge('gateway_held_changes').set(await countHeld(deps))
  deps.metrics.gauge('gateway_oldest_held_seconds').set(await oldestHeld(deps))
  deps.metrics.gauge('audit_writable').set(deps.ledger.fault() === undefined ? 1 : 0)
  return deps.metrics.json()
}
