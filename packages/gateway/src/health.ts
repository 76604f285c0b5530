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

/** What is missing while the gateway serves, and why: for its health, and once for the log. */
interface MissingDeps extends ApproverDeps {
  readonly catalog: Pick<Catalog, 'fault'>
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'unstored'>
}

/** Milliseconds by which the clock may be ahead before anybody is told. */
const aheadMost = 60_000

const clockFault = (clock: Clock): string | undefined => {
  const ahead = clock.ahead()
  return ahead > aheadMost ? `${Math.round(ahead / 1000)} s ahead of the machine's, which was set back` : undefined
}

const actsFault = ({ ledger }: Pick<MissingDeps, 'ledger'>): string | undefined => {
  const count = ledger.unstored()
  return count === 0 ? undefined : `${count} that took power away are nowhere on disk yet: they hold until the gateway ends`
}

/** By the name under which it is degraded. */
const missingParts = (deps: MissingDeps): ReadonlyMap<string, string> => {
  const faults = { catalog: deps.catalog.fault(), approvers: missingApprovers(deps), clock: clockFault(deps.clock), acts: actsFault(deps) }
  return new Map(Object.entries(faults).flatMap(([part, reason]) => (reason === undefined ? [] : [[part, reason] as const])))
}

/** Tells the log of each when it comes and when it has passed. */
export const createMissingReporter = (log: Logger): ((deps: MissingDeps) => void) => {
  let told = new Set<string>()
  return (deps) => {
    const found = missingParts(deps)
    for (const [part, reason] of found) if (!told.has(part)) log.warn('degraded', { part, reason })
    for (const part of told) if (!found.has(part)) log.info('no longer degraded', { part })
    told = new Set(found.keys())
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
  ...missingParts(deps).keys(),
]

/** Failed where nothing can be decided; a gateway that cannot decide still answers what is. */
export const health = async (deps: LifeDeps): Promise<Health> => {
  const fault = deps.ledger.fault()
  const broken = degraded(deps)
  return {
    status: fault !== undefined ? 'failed' : broken.length > 0 ? 'degraded' : 'ready',
    degraded: broken,
    facts: {
      held: await countHeld(deps),
      sessions: deps.sessions.all().length,
      head: deps.journal.head().seq,
      ...(fault === undefined ? {} : { journal: fault }),
      ...Object.fromEntries(missingParts(deps)),
    },
  }
}

const oldestHeld = async ({ store, clock }: LifeDeps): Promise<number> => {
  const row = await store.read.get<{ record: string }>(`SELECT record FROM changes WHERE state = 'held' ORDER BY id LIMIT 1`)
  return row === undefined ? 0 : Math.max(0, (clock() - Date.parse(v.parse(Change, JSON.parse(row.record)).createdAt)) / 1000)
}

/** Gauges are measured when somebody looks. */
export const readMetrics = async (deps: LifeDeps): Promise<Record<string, unknown>[]> => {
  deps.metrics.gauge('gateway_held_changes').set(await countHeld(deps))
  deps.metrics.gauge('gateway_oldest_held_seconds').set(await oldestHeld(deps))
  deps.metrics.gauge('audit_writable').set(deps.ledger.fault() === undefined ? 1 : 0)
  return deps.metrics.json()
}
